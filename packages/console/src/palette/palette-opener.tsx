// The way into the palette: its keys on every page, and a button for who does not know them.

import { lazy, type ReactElement, Suspense, useEffect, useState } from 'react';
import type { Role } from '../session/session.js';
import { useWords } from '../words/say.js';
import styles from './palette-opener.module.css';

const Palette = lazy(async () => ({ default: (await import('./palette.js')).Palette }));

const IS_APPLE = /Mac|iPhone|iPad/.test(navigator.platform);
const KEYS = IS_APPLE ? '⌘ K' : 'Ctrl K';

/** Where keys are letters. */
function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

function isOverPage(): boolean {
  return document.querySelector('[role="dialog"], dialog[open]') !== null;
}

export function PaletteOpener({ side }: { readonly side: Role }): ReactElement {
  const say = useWords();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isShortcut = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k';
      const isSlash =
        event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !isWriting(event.target);
      if ((!isShortcut && !isSlash) || isOverPage()) return;
      event.preventDefault();
      setOpen(true);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  return (
    <>
      <button
        type="button"
        className={styles.opener}
        aria-label={say('palette.open')}
        title={say('palette.open')}
        aria-keyshortcuts="Control+K Meta+K /"
        onClick={() => setOpen(true)}
      >
        <kbd>{KEYS}</kbd>
      </button>
      {isOpen && (
        <Suspense>
          <Palette side={side} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
