// One box for everything: pages, actions, and whatever goes by a name or a number. Opened by `/` and Ctrl-K, and left by Escape.

import { type KeyboardEvent, type ReactElement, useEffect, useId, useRef, useState } from 'react';
import { Icon } from '../design/icons.js';
import type { Role } from '../session/session.js';
import type { Word } from '../words/all-words.js';
import { useWords } from '../words/say.js';
import { isMatch, type PaletteEntry, useStandingEntries } from './entries.js';
import { useFound } from './found.js';
import styles from './palette.module.css';

interface PaletteProps {
  readonly side: Role;
  readonly onClose: () => void;
}

interface Group {
  readonly word: Word;
  readonly entries: readonly PaletteEntry[];
}

function groupEntries(entries: readonly PaletteEntry[]): readonly Group[] {
  const words = [...new Set(entries.map(({ group }) => group))];
  return words.map((word) => ({ word, entries: entries.filter(({ group }) => group === word) }));
}

export function Palette({ side, onClose }: PaletteProps): ReactElement {
  const say = useWords();
  const [text, setText] = useState('');
  // By its id: what is found later may stand above it.
  const [chosenId, setChosenId] = useState<string>();
  const dialog = useRef<HTMLDialogElement>(null);
  const listId = useId();
  useEffect(() => dialog.current?.showModal(), []);
  const wanted = text.trim();
  const standing = useStandingEntries(side);
  const found = useFound(side, wanted);
  const groups = groupEntries(
    wanted === '' ? standing : [...standing.filter((entry) => isMatch(entry, wanted)), ...found.entries],
  );
  const entries = groups.flatMap((group) => group.entries);
  const idOf = (entry: PaletteEntry) => `${listId} ${entry.group} ${entry.id}`.replaceAll(/\W+/g, '-');
  const at = Math.max(
    0,
    entries.findIndex((entry) => idOf(entry) === chosenId),
  );
  const marked = entries[at];
  const markedId = marked && idOf(marked);
  useEffect(() => {
    if (markedId !== undefined) document.getElementById(markedId)?.scrollIntoView({ block: 'nearest' });
  }, [markedId]);
  const choose = (entry: PaletteEntry) => {
    onClose();
    entry.run();
  };
  const press = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && entries.length > 0) {
      event.preventDefault();
      const next = entries[(at + step + entries.length) % entries.length];
      setChosenId(next && idOf(next));
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      if (marked !== undefined) choose(marked);
    }
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a press beside the box closes it, as Escape does.
    <dialog
      ref={dialog}
      className={styles.palette}
      aria-label={say('palette.title')}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div className={styles.box}>
        <div className={styles.field}>
          <Icon name="search" />
          <input
            type="text"
            role="combobox"
            aria-label={say('palette.title')}
            aria-expanded
            aria-autocomplete="list"
            aria-controls={listId}
            aria-activedescendant={markedId}
            autoComplete="off"
            placeholder={say(side === 'operator' ? 'palette.askOperator' : 'palette.ask')}
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value);
              setChosenId(undefined);
            }}
            onKeyDown={press}
          />
        </div>
        <div
          id={listId}
          role="listbox"
          aria-label={say('palette.title')}
          aria-busy={found.isReading}
          className={styles.list}
        >
          {groups.map(({ word, entries: ofGroup }) => (
            // biome-ignore lint/a11y/useSemanticElements: options of a list in groups have no element of their own.
            <div key={word} role="group" aria-label={say(word)}>
              <p className={styles.group} aria-hidden="true">
                {say(word)}
              </p>
              {ofGroup.map((entry) => (
                // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the box has the focus, and its keys choose.
                <div
                  key={entry.id}
                  id={idOf(entry)}
                  role="option"
                  aria-selected={entry === marked}
                  className={styles.entry}
                  onMouseMove={() => setChosenId(idOf(entry))}
                  onClick={() => choose(entry)}
                >
                  <Icon name={entry.icon} />
                  <span className={styles.label}>{entry.label}</span>
                  {entry.note !== undefined && <code className={styles.note}>{entry.note}</code>}
                </div>
              ))}
            </div>
          ))}
        </div>
        <p className={styles.keys} aria-hidden="true">
          {say('palette.keys')}
        </p>
      </div>
    </dialog>
  );
}
