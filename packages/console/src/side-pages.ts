// The pages of each side in their groups, as the menu and the palette offer them to who is signed in.

import { type CustomerScope, mayCall } from './api/customer-scopes.js';
import type { IconName } from './design/icons.js';
import { type Role, useReadOnly, useSessions } from './session/session.js';
import type { Word } from './words/all-words.js';

export interface PageEntry {
  readonly to: string;
  readonly word: Word;
  readonly icon: IconName;
}

export interface PageGroup {
  readonly word?: Word;
  readonly entries: readonly PageEntry[];
}

const PAGES: Record<Role, readonly PageGroup[]> = {
  customer: [
    {
      entries: [
        { to: '/overview', word: 'nav.overview', icon: 'overview' },
        { to: '/compose', word: 'nav.compose', icon: 'compose' },
      ],
    },
    {
      word: 'group.messages',
      entries: [
        { to: '/tasks', word: 'nav.tasks', icon: 'tasks' },
        { to: '/batches', word: 'nav.batches', icon: 'batches' },
        { to: '/receipts', word: 'nav.receipts', icon: 'check' },
        { to: '/numbers', word: 'nav.numbers', icon: 'search' },
        { to: '/replies', word: 'nav.replies', icon: 'replies' },
        { to: '/opt-outs', word: 'nav.optOuts', icon: 'optOut' },
        { to: '/templates', word: 'nav.templates', icon: 'copy' },
      ],
    },
    {
      word: 'group.money',
      entries: [
        { to: '/ledger', word: 'nav.ledger', icon: 'ledger' },
        { to: `/statements/${new Date().toISOString().slice(0, 7)}`, word: 'nav.statements', icon: 'reports' },
      ],
    },
    {
      word: 'group.settings',
      entries: [
        { to: '/developers', word: 'nav.developers', icon: 'developers' },
        { to: '/users', word: 'nav.users', icon: 'operators' },
      ],
    },
  ],
  operator: [
    {
      word: 'group.platform',
      entries: [
        { to: '/operator/platform', word: 'nav.platform', icon: 'platform' },
        { to: '/operator/customers', word: 'nav.customers', icon: 'customers' },
        { to: '/operator/tasks', word: 'nav.tasks', icon: 'tasks' },
        { to: '/operator/numbers', word: 'nav.numbers', icon: 'search' },
        { to: '/operator/channels', word: 'nav.channels', icon: 'channels' },
        { to: '/operator/firms', word: 'nav.firms', icon: 'firms' },
        { to: '/operator/margins', word: 'nav.margins', icon: 'ledger' },
        { to: '/operator/blocked-words', word: 'nav.blockedWords', icon: 'optOut' },
      ],
    },
    {
      word: 'group.decisions',
      entries: [
        { to: '/operator/reviews', word: 'nav.reviews', icon: 'check' },
        { to: '/operator/unknown', word: 'nav.unknown', icon: 'unknown' },
        { to: '/operator/set-aside', word: 'nav.setAside', icon: 'refresh' },
        { to: '/operator/replies', word: 'nav.unclaimed', icon: 'replies' },
        { to: '/operator/reports', word: 'nav.reports', icon: 'reports' },
        { to: '/operator/held-channels', word: 'nav.held', icon: 'lock' },
      ],
    },
    {
      word: 'group.records',
      entries: [
        { to: '/operator/audit', word: 'nav.audit', icon: 'audit' },
        { to: '/operator/erasures', word: 'nav.erasures', icon: 'optOut' },
        { to: '/operator/retention', word: 'nav.retention', icon: 'clock' },
        { to: '/operator/users', word: 'nav.users', icon: 'customers' },
        { to: '/operator/operators', word: 'nav.operators', icon: 'operators' },
      ],
    },
  ],
};

/** Pages that are there to change something. */
const WRITING: ReadonlySet<string> = new Set(['/compose']);

/** Pages that the service refuses without this scope. */
const SCOPES: readonly (readonly [string, CustomerScope])[] = [
  ['/compose', 'send'],
  ['/ledger', 'finance'],
  ['/statements/', 'finance'],
  ['/users', 'admin'],
];

/** Without the pages that the service would refuse, and without groups that have none. */
export function usePages(role: Role): readonly PageGroup[] {
  const isReadOnly = useReadOnly() && role === 'customer';
  const { customer } = useSessions();
  const isOffered = ({ to }: PageEntry) => {
    if (role === 'operator') return true;
    if (isReadOnly && WRITING.has(to)) return false;
    return SCOPES.every(([page, scope]) => !to.startsWith(page) || mayCall(customer, scope));
  };
  return PAGES[role]
    .map((group) => ({ ...group, entries: group.entries.filter(isOffered) }))
    .filter(({ entries }) => entries.length > 0);
}
