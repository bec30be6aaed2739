// Counts which kind of event met which state of its number: what a run exercised, and what it did not.

import { type ChunkState, isMoved, isUntouched, numberStateOf, PART } from '#src/domain/chunk/chunk-state.js';
import type { DeliveryEvent } from '#src/domain/outcome/delivery-event.js';
import type { Settlement } from '#src/domain/outcome/settlement.js';

/** Called before each event is applied. */
export type Observe = (settlement: Settlement, event: DeliveryEvent) => void;

/** The states of a number that an event may meet. */
export const MET_STATES = [
  'untouched',
  'intended',
  'partly sent',
  'declined',
  'unknown',
  'awaiting',
  'receipt',
  'moved',
  'chunk gone',
] as const;
export type MetState = (typeof MET_STATES)[number];

export const EVENT_KINDS = [
  'intended',
  'withdrawn',
  'accepted',
  'refused',
  'declined',
  'unknown',
  'not_accepted',
  'delivered',
  'undelivered',
  'expired',
  'rejected',
  'intermediate',
  'no_receipt',
  'ended',
  'stopped',
  'rerouted',
  'stranded',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/**
 * The pairs that cannot meet while the database loses no commit. Nothing comes from a carrier before an intent is committed, and a number
 * that is on the wire, accepted or unknown does not move. Only the holder of the lease withdraws, while the part is intended. A missing
 * receipt is that of an accepted number, and a part that is not accepted was unknown.
 */
const CANNOT_MEET: { readonly [kind in EventKind]?: readonly MetState[] } = {
  withdrawn: ['untouched', 'partly sent', 'unknown', 'awaiting', 'moved', 'chunk gone'],
  accepted: ['untouched', 'moved'],
  refused: ['untouched', 'moved'],
  declined: ['untouched', 'moved'],
  unknown: ['untouched'],
  not_accepted: ['untouched', 'moved'],
  delivered: ['untouched'],
  undelivered: ['untouched'],
  expired: ['untouched'],
  rejected: ['untouched'],
  intermediate: ['untouched'],
  no_receipt: ['untouched', 'intended', 'partly sent', 'declined', 'unknown', 'moved'],
  stopped: ['chunk gone'],
  stranded: ['chunk gone'],
};

export function canMeet(kind: EventKind, state: MetState): boolean {
  return CANNOT_MEET[kind]?.includes(state) !== true;
}

/** An event and a state of its number. */
export interface Pair {
  readonly kind: EventKind;
  readonly state: MetState;
}

const OF_REPORTS: readonly MetState[] = ['intended', 'partly sent', 'unknown', 'awaiting', 'receipt', 'chunk gone'];

/** The pairs that meet in most runs. */
const USUAL: { readonly [kind in EventKind]?: readonly MetState[] } = {
  intended: ['untouched', 'intended', 'partly sent', 'receipt', 'chunk gone'],
  withdrawn: ['intended'],
  accepted: ['intended', 'unknown', 'receipt', 'chunk gone'],
  refused: ['intended'],
  declined: ['intended'],
  unknown: ['intended'],
  not_accepted: ['unknown', 'receipt', 'chunk gone'],
  delivered: OF_REPORTS,
  undelivered: OF_REPORTS,
  expired: OF_REPORTS,
  rejected: OF_REPORTS,
  intermediate: OF_REPORTS,
  no_receipt: ['awaiting'],
  ended: ['untouched', 'receipt', 'chunk gone'],
  stopped: ['untouched', 'intended', 'receipt'],
  rerouted: ['untouched', 'moved'],
  stranded: ['untouched'],
};

export const PAIRS: readonly Pair[] = EVENT_KINDS.flatMap((kind) =>
  MET_STATES.filter((state) => canMeet(kind, state)).map((state) => ({ kind, state })),
);

/** Those that only a run meets that aims at them. */
export const RARE_PAIRS = PAIRS.filter(({ kind, state }) => USUAL[kind]?.includes(state) !== true);

export function metStateOf(state: ChunkState | undefined, index: number): MetState {
  if (state === undefined) return 'chunk gone';
  if (isMoved(state, index)) return 'moved';
  if (isUntouched(state, index)) return 'untouched';
  const number = numberStateOf(state, index);
  if (number === 'unknown' || number === 'awaiting') return number;
  if (number !== 'unsent') return 'receipt';
  const parts = state.partStates.subarray(state.offsets[index] ?? 0, state.offsets[index + 1] ?? 0);
  if (parts.includes(PART.declined)) return 'declined';
  return parts.includes(PART.intended) ? 'intended' : 'partly sent';
}

export function kindOf({ event }: DeliveryEvent): EventKind {
  return event.kind === 'reported' ? event.status : event.kind;
}
