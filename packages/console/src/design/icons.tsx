// The few icons of the console, drawn here: a set of thousands would weigh more than the console.

import type { ReactElement } from 'react';

const PATHS = {
  overview: 'M3 13h4V8H3zM8.5 13h4V3h-4zM14 13h3V6h-3z M2 17h16',
  tasks: 'M3 5h2M3 10h2M3 15h2M8 5h9M8 10h9M8 15h9',
  batches: 'M3 7l7-4 7 4-7 4zM3 11l7 4 7-4M3 14.5l7 4 7-4',
  search: 'M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12ZM13.5 13.5 17.5 17.5',
  replies: 'M4 4h12a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H9l-4 3v-3H4a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1Z',
  ledger: 'M4 3h12v14l-3-2-3 2-3-2-3 2zM7 7h6M7 10.5h6',
  compose: 'M12.5 4.5l3 3L7 16H4v-3zM11 6l3 3',
  developers: 'M7 6 3 10l4 4M13 6l4 4-4 4M11.5 4l-3 12',
  platform: 'M3 10h3l2-6 4 12 2-6h3',
  customers:
    'M7.5 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.5 16.5c0-3 2-4.5 5-4.5s5 1.5 5 4.5M13 4.3a3 3 0 0 1 0 5.4M14.5 12.3c2 .5 3 2 3 4.2',
  channels: 'M10 11v7M6.5 14.5a5 5 0 1 1 7 0M4 17a8.5 8.5 0 1 1 12 0M10 11h.01',
  firms: 'M3 17h14M5 17V4h6v13M11 8h4v9M7.5 7h1M7.5 10h1M7.5 13h1',
  unknown: 'M7 7.5a3 3 0 1 1 4.4 2.6c-1 .5-1.4 1.1-1.4 2.1M10 15.5v.1',
  reports: 'M5 3h7l3 3v11H5zM12 3v3h3M8 10h4M8 13h4',
  audit: 'M10 3l6 2.5V10c0 3.5-2.5 6-6 7-3.5-1-6-3.5-6-7V5.5zM7.5 10l2 2 3.5-4',
  operators: 'M10 10a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM3.5 17.5c0-3.5 2.5-5 6.5-5s6.5 1.5 6.5 5',
  sun: 'M10 13.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM10 2v2M10 16v2M2 10h2M16 10h2M4.3 4.3l1.4 1.4M14.3 14.3l1.4 1.4M15.7 4.3l-1.4 1.4M5.7 14.3l-1.4 1.4',
  moon: 'M16.5 11.5A7 7 0 1 1 8.5 3.5a5.5 5.5 0 0 0 8 8Z',
  out: 'M8 4H4v12h4M12 6.5 15.5 10 12 13.5M15 10H8',
  copy: 'M7 7h9v9H7zM13 7V4H4v9h3',
  check: 'M4 10.5 8 14.5 16 5.5',
  alert: 'M10 3 18 17H2zM10 8v4M10 14.5v.1',
  away: 'M3 3l14 14M8.5 15.5a2.5 2.5 0 0 1 3 0M5.5 11.5a7 7 0 0 1 3-1.8M14.5 11.5a7 7 0 0 0-2-1.3M2.5 8a11 11 0 0 1 3.5-2.3M17.5 8A11 11 0 0 0 8.5 4.8',
  lock: 'M5 9h10v8H5zM7 9V6.5a3 3 0 0 1 6 0V9',
  optOut: 'M17 10a7 7 0 1 1-14 0 7 7 0 0 1 14 0zM5.2 5.2l9.6 9.6',
  bell: 'M5 14V9a5 5 0 0 1 10 0v5l1.5 1.5h-13zM8 17.5h4',
  empty: 'M3 11 5 4h10l2 7v5H3zM3 11h4l1 2h4l1-2h4',
  plus: 'M10 4v12M4 10h12',
  more: 'M5 10h.1M10 10h.1M15 10h.1',
  down: 'M10 3v10M5.5 9 10 13.5 14.5 9M4 17h12',
  right: 'M8 5l5 5-5 5',
  choose: 'M7 8l3-3 3 3M7 12l3 3 3-3',
  back: 'M12 5l-5 5 5 5',
  filter: 'M3 5h14M6 10h8M8.5 15h3',
  clock: 'M10 6v4l3 2M17 10a7 7 0 1 1-14 0 7 7 0 0 1 14 0Z',
  refresh: 'M16 5v4h-4M16 9a6.5 6.5 0 1 0 .3 3',
  globe: 'M17 10a7 7 0 1 1-14 0 7 7 0 0 1 14 0ZM3 10h14M10 3c2.5 2 3 4.5 3 7s-.5 5-3 7c-2.5-2-3-4.5-3-7s.5-5 3-7Z',
} as const;

export type IconName = keyof typeof PATHS;

/** Decoration only: its meaning is also in the text. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }): ReactElement {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
