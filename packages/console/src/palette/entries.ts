// What the palette offers: each has a name that is searched, and a place that it leads to or a thing that it does.

import { useNavigate } from '@tanstack/react-router';
import type { IconName } from '../design/icons.js';
import { changePreferences, usePreferences } from '../preferences.js';
import { type Role, useReadOnly, useSessions } from '../session/session.js';
import { FIRST_PAGES } from '../session/side.js';
import { usePages } from '../side-pages.js';
import { allWords, type Word } from '../words/all-words.js';
import { type Say, useWords } from '../words/say.js';

export interface PaletteEntry {
  readonly id: string;
  readonly group: Word;
  readonly icon: IconName;
  readonly label: string;
  readonly note?: string | undefined;
  /** What it is found by besides its label. */
  readonly also?: string;
  readonly run: () => void;
}

type Go = (to: string, search?: Readonly<Record<string, string>>) => () => void;

export function useGo(): Go {
  const navigate = useNavigate();
  return (to, search = {}) =>
    () =>
      void navigate({ to, search });
}

/** Found in either language, whichever is shown. */
function spellOut(word: Word): string {
  return allWords[word].join(' ');
}

interface Action {
  readonly word: Word;
  readonly icon: IconName;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly isWriting?: boolean;
}

const ACTIONS: Readonly<Record<Role, readonly Action[]>> = {
  operator: [
    { word: 'customers.new', icon: 'plus', to: '/operator/customers/new' },
    { word: 'channels.addAny', icon: 'plus', to: '/operator/channels', search: { add: 'any' } },
    { word: 'palette.resolve', icon: 'unknown', to: '/operator/unknown' },
    { word: 'palette.review', icon: 'check', to: '/operator/reviews' },
    { word: 'palette.erase', icon: 'optOut', to: '/operator/erasures' },
  ],
  customer: [
    { word: 'palette.send', icon: 'compose', to: '/compose', isWriting: true },
    { word: 'palette.webhook', icon: 'developers', to: '/developers', search: { tab: 'webhooks' }, isWriting: true },
  ],
};

/** Pages and what can be done: the same at every press, and there at once. */
export function useStandingEntries(role: Role): readonly PaletteEntry[] {
  const say = useWords();
  const go = useGo();
  const sessions = useSessions();
  const isReadOnly = useReadOnly() && role === 'customer';
  const { language, scheme } = usePreferences();
  const pages = usePages(role).flatMap(({ entries }) =>
    entries.map(
      ({ to, word, icon }): PaletteEntry => ({
        id: `page ${to}`,
        group: 'palette.pages',
        icon,
        label: say(word),
        also: `${spellOut(word)} ${to}`,
        run: go(to),
      }),
    ),
  );
  const actions = ACTIONS[role]
    .filter(({ isWriting = false }) => !(isReadOnly && isWriting))
    .map(
      ({ word, icon, to, search = {} }): PaletteEntry => ({
        id: `action ${word}`,
        group: 'palette.actions',
        icon,
        label: say(word),
        also: spellOut(word),
        run: go(to, search),
      }),
    );
  const other: Role = role === 'operator' ? 'customer' : 'operator';
  const settings: readonly (PaletteEntry | false)[] = [
    sessions[other] !== undefined &&
      setting(say, other === 'operator' ? 'app.toOperator' : 'app.toCustomer', 'right', go(FIRST_PAGES[other])),
    setting(say, language === 'en' ? 'palette.chinese' : 'palette.english', 'globe', () =>
      changePreferences({ language: language === 'en' ? 'zh' : 'en' }),
    ),
    scheme === 'dark'
      ? setting(say, 'palette.light', 'sun', () => changePreferences({ scheme: 'light' }))
      : setting(say, 'palette.dark', 'moon', () => changePreferences({ scheme: 'dark' })),
  ];
  return [...actions, ...pages, ...settings.filter((entry) => entry !== false)];
}

function setting(say: Say, word: Word, icon: IconName, run: () => void): PaletteEntry {
  return { id: `setting ${word}`, group: 'palette.actions', icon, label: say(word), also: spellOut(word), run };
}

/** Every word that was written is somewhere in it. */
export function isMatch({ label, also = '' }: Pick<PaletteEntry, 'label' | 'also'>, text: string): boolean {
  const within = `${label} ${also}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => within.includes(word));
}
