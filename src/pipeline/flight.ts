// Parts between the queue and their outcome: what a channel's dispatcher and its feedback both know of them.

import type { Part } from '../channels/channel.js';
import type { CustomerId, TaskId } from '../domain/id.js';
import { asCustomerId, asTaskId } from '../domain/id.js';
import { messageKeyOf } from '../domain/message-id.js';
import type { Chunk } from '../store/chunk.js';

/** One part on its way. */
export interface Flight {
  readonly chunk: Chunk;
  readonly index: number;
  /** From 1. */
  readonly part: number;
  /** When it was last given to the channel, in milliseconds since the epoch. */
  submittedAt: number;
}

/** Recent parts by message id, so that most reports find theirs without asking the database. The table stays the truth. */
export interface FlightDirectory {
  remember(messageId: string, flight: Flight): void;
  find(keys: readonly string[]): Flight | undefined;
  takeOff(part: Part): void;
  land(part: Part): void;
  /** The answer for the part was lost, and that is being recorded: until the database knows, a report finds it here. */
  loseAnswer(part: Part, flight: Flight): void;
  /** The database knows. */
  forgetLost(part: Part): void;
  /** By our own reference where the report carries it; otherwise only where no other part to that number can be meant. */
  findLost(report: { readonly reference?: string; readonly phone?: string }): Flight | undefined;
  /** Whether a part to this number is with the channel and unanswered: a report may be its own, come early. */
  isFlyingTo(phone: string): boolean;
}

export function makeFlightDirectory(limit: number): FlightDirectory {
  const byKey = new Map<string, Flight>();
  const flying = new Map<string, number>();
  const lost = new Map<string, { readonly to: string; readonly flight: Flight }>();
  return {
    remember(messageId, flight) {
      byKey.set(messageKeyOf(messageId), flight);
      if (byKey.size <= limit) return;
      const [oldest] = byKey.keys();
      if (oldest !== undefined) byKey.delete(oldest);
    },
    find(keys) {
      for (const key of keys) {
        const flight = byKey.get(key);
        if (flight !== undefined) return flight;
      }
      return undefined;
    },
    takeOff(part) {
      flying.set(part.to, (flying.get(part.to) ?? 0) + 1);
    },
    land(part) {
      const left = (flying.get(part.to) ?? 0) - 1;
      if (left > 0) flying.set(part.to, left);
      else flying.delete(part.to);
    },
    loseAnswer(part, flight) {
      lost.set(part.reference, { to: part.to, flight });
    },
    forgetLost(part) {
      lost.delete(part.reference);
    },
    findLost({ reference, phone }) {
      if (lost.size === 0) return undefined;
      if (reference !== undefined) return lost.get(reference)?.flight;
      if (phone === undefined || flying.has(phone)) return undefined;
      const candidates = [...lost.values()].filter(({ to }) => to === phone);
      return candidates.length === 1 ? candidates[0]?.flight : undefined;
    },
    isFlyingTo: (phone) => flying.has(phone),
  };
}

export interface PartReference {
  readonly customerId: CustomerId;
  readonly taskId: TaskId;
  readonly seq: number;
  readonly part: number;
}

/** The name under which an upstream may speak of a part that it has not answered for. */
export function formatReference({ customerId, taskId, seq, part }: PartReference): string {
  return `${customerId}.${taskId}.${seq}.${part}`;
}

export function parseReference(text: string): PartReference | undefined {
  const match = /^(\d{1,19})\.(\d{1,19})\.(\d{1,9})\.(\d{1,9})$/.exec(text);
  if (match === null) return undefined;
  const [, customerId = '', taskId = '', seq = '', part = ''] = match;
  return {
    customerId: asCustomerId(BigInt(customerId)),
    taskId: asTaskId(BigInt(taskId)),
    seq: Number(seq),
    part: Number(part),
  };
}
