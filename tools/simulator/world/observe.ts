// Counts which kind of event met which state of its number: what a run exercised, and what it did not.

import { isMoved, isUntouched, numberStateOf, PART } from '#src/domain/chunk/chunk-state.js';
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

export function metStateOf({ chunks }: Settlement, { chunk, index }: DeliveryEvent): MetState {
  const state = chunks.get(chunk.key)?.state;
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

export function kindOf({ event }: DeliveryEvent): string {
  return event.kind === 'reported' ? event.status : event.kind;
}
