// What was asked and answered, and what was done to the system meanwhile, in the order it ended: all that the rules judge
// beside the books. Kept in memory and as lines of JSON in a file that outlives the campaign.

import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

interface Span {
  /** Milliseconds since the campaign began. */
  readonly startMs: number;
  readonly endMs: number;
}

/** One request of the load. Status 0: no answer came, and its outcome is unknown. */
export interface Call extends Span {
  readonly kind: 'call';
  readonly action: string;
  readonly node: string;
  readonly customer: string;
  readonly method: string;
  readonly target: string;
  readonly request?: unknown;
  readonly status: number;
  readonly answer?: unknown;
  /** The answer says that the task was there already. */
  readonly isReplayed?: boolean;
  readonly fault?: string;
}

/** The target of a fault that slows things down and loses no answer. */
export const OLD_SNAPSHOT = 'snapshot';

/** Something the nemesis did, from the first moment until it was healed. */
export interface Fault extends Span {
  readonly kind: 'fault';
  readonly name: string;
  readonly target: string;
}

/** The time in which the database server was not there at all. */
export interface Outage extends Span {
  readonly kind: 'outage';
}

export interface Probe extends Span {
  readonly kind: 'probe';
  readonly node: string;
  readonly status: number;
  /** Whether the node was there and awake all the while. */
  readonly isAwake: boolean;
}

/** A process of the service that ended by itself. */
export interface Death extends Span {
  readonly kind: 'death';
  readonly node: string;
  readonly log: string;
}

/** A message that came to a webhook. */
export interface Push extends Span {
  readonly kind: 'push';
  readonly path: string;
  readonly id: string;
  readonly isStored: boolean;
  readonly isConfirmed: boolean;
  readonly text: string;
}

export type HistoryEvent = Call | Fault | Outage | Probe | Death | Push;

export interface History {
  readonly file: string;
  /** When it began, in milliseconds since the epoch. */
  readonly startedAt: number;
  readonly events: readonly HistoryEvent[];
  nowMs(): number;
  add(event: HistoryEvent): void;
  calls(action?: string): readonly Call[];
  faults(): readonly Fault[];
}

export function openHistory(file: string, about: object): History {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify({ kind: 'campaign', ...about })}\n`);
  const zero = performance.now();
  const events: HistoryEvent[] = [];
  return {
    file,
    startedAt: Date.now(),
    events,
    nowMs: () => Math.round(performance.now() - zero),
    add(event) {
      events.push(event);
      appendFileSync(file, `${JSON.stringify(event)}\n`);
    },
    calls: (action) =>
      events.filter((event): event is Call => event.kind === 'call' && (action ?? event.action) === event.action),
    faults: () => events.filter((event): event is Fault => event.kind === 'fault'),
  };
}
