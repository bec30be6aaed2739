// The states of a part on a channel, and the legal moves between them. A part goes on the wire only from `intended`, which it
// reaches by the commit of its intent: a bug that would send it twice throws here before it reaches a socket.
//
//       in flight, refused               throttled
//        ┌────┬──▶ dropped               ┌────────────┐
//        │    │                          ▼            │
//   queued ─▶ intending ─────────────▶ intended ─▶ on_wire ─▶ answered ─▶ recorded ─▶ settled
//     ▲                                                          │           ▲ │
//     │                                                          ▼           │ │
//     │                                                     quarantined ─────┘ │
//     └──────────────────── withdrawn: certainly not accepted ──────────────────┘

import type { Part } from '../../../channels/channel.js';
import type { Chunk } from '../../../domain/chunk/chunk.js';

export type PartState =
  /** In memory, waiting for its turn. */
  | 'queued'
  /** Has a slot in the window. Its intent is being committed. */
  | 'intending'
  /** Its intent was refused or not committed, or another copy of it is in flight. It is not sent from here; if its chunk is still queued, it is loaded again. */
  | 'dropped'
  /** Its intent is committed. After a crash, a part in this state or in the next three is unknown. */
  | 'intended'
  /** With the channel, unanswered. */
  | 'on_wire'
  /** Its answer, or the loss of it, is being recorded. */
  | 'answered'
  /** Its answer could not be recorded and is retried. Nothing more of its customer is sent meanwhile. */
  | 'quarantined'
  /** Its answer is recorded. If it was accepted or is unknown, a delivery report is expected. */
  | 'recorded'
  /** Its final report is recorded. */
  | 'settled';

/** The recorded answer of a part. */
export type AnswerKind = 'accepted' | 'refused' | 'declined' | 'unknown' | 'withdrawn';

const NEXT: Readonly<Record<PartState, readonly PartState[]>> = {
  queued: ['intending', 'dropped'],
  intending: ['intended', 'dropped'],
  dropped: [],
  intended: ['on_wire'],
  on_wire: ['intended', 'answered'],
  answered: ['recorded', 'quarantined'],
  quarantined: ['recorded'],
  recorded: ['settled', 'queued'],
  settled: [],
};

/** A part in its chunk, and its state. */
export interface PartPosition {
  readonly chunk: Chunk;
  /** Of the number in its chunk. */
  readonly index: number;
  /** From 1. */
  readonly part: number;
  /** When it was last submitted, in milliseconds since the epoch. */
  submittedAt: number;
  state: PartState;
  /** From `answered` on, for a part that this process has sent. */
  answer: AnswerKind | undefined;
}

/** A part for the channel, with its position in the chunk. */
export interface Sendable {
  readonly part: Part;
  readonly position: PartPosition;
}

/** A part that waits for its turn. */
export function createQueuedPosition(chunk: Chunk, index: number, part: number): PartPosition {
  return { chunk, index, part, submittedAt: 0, state: 'queued', answer: undefined };
}

/** A part whose answer is recorded. */
export function createRecordedPosition(chunk: Chunk, index: number, part: number, submittedAt: number): PartPosition {
  return { chunk, index, part, submittedAt, state: 'recorded', answer: undefined };
}

/** This process has seen the commit of its acceptance. If the database does not have it, the database lost commits. */
export function isAcceptanceCommitted({ state, answer }: PartPosition): boolean {
  return answer === 'accepted' && (state === 'recorded' || state === 'settled');
}

export function movePart(position: PartPosition, to: PartState): void {
  const from = position.state;
  if (!NEXT[from].includes(to)) throw new Error(`a part cannot go from ${from} to ${to}`);
  position.state = to;
}
