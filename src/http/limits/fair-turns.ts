// Requests of one customer must not delay those of others, however many there are: the event loop works on one thing at a
// time. A customer with few requests in flight passes at once. Further ones of the same customer wait for a turn: one per turn
// of the loop over all customers, customers in rotation. While the loop is busy and others are at work, it rests after each
// turn for as long as the turn took, so that half of its time stays theirs. Alone, a customer has all of it, and a turn releases
// several requests.

import type { ServerResponse } from 'node:http';
import type { CustomerId } from '../../domain/id.js';
import { errorText } from '../../domain/request/error-text.js';
import { BUSY_LOAD, createLoopLoad } from '../../pipeline/turns/loop-load.js';
import { Problem, unavailable } from '../problem/problem.js';

export interface FairTurns {
  /** Resolves when the request may be worked on. Throws the answer to one too many, and where the caller left. */
  enter(customerId: CustomerId, response: ServerResponse): Promise<void>;
}

export interface FairTurnsOptions {
  /** Between 0 and 1. */
  readonly load?: () => number;
  /** Milliseconds; must not go backwards. */
  readonly now?: () => number;
}

/** Of one customer, in flight without waiting. */
const FREE_REQUESTS = 4;
const MAX_WAITING = 1000;
/** Requests per turn of a customer that has the loop to itself: a few milliseconds, for which a newcomer waits once. */
const TURN_ALONE = 32;
/** Others count as at work for so long after a request of theirs. */
const OTHERS_MS = 1000;
const MAX_REST_MS = 20;

interface Pass {
  readonly customerId: CustomerId;
  readonly atMs: number;
}

interface Waiter {
  readonly response: ServerResponse;
  resolve(): void;
  reject(error: Problem): void;
}

export function createFairTurns({
  load = createLoopLoad(),
  now = () => performance.now(),
}: FairTurnsOptions = {}): FairTurns {
  const inFlight = new Map<CustomerId, number>();
  /** The first customer is the next to get a turn. */
  const queues = new Map<CustomerId, Waiter[]>();
  let isScheduled = false;
  /** The last customer whose request passed at once, and the last one before it that was another. */
  let latest: Pass | undefined;
  let previous: Pass | undefined;
  let turnMs = 0;

  const notePass = (customerId: CustomerId): void => {
    if (latest?.customerId !== customerId) previous = latest;
    latest = { customerId, atMs: now() };
  };

  /** Whether a request of another customer passed at once a short while ago. */
  const hasOthers = (customerId: CustomerId, nowMs: number): boolean => {
    const other = latest?.customerId === customerId ? previous : latest;
    return other !== undefined && nowMs - other.atMs < OTHERS_MS;
  };

  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(rest);
  };

  const rest = (): void => {
    const nowMs = now();
    const [next] = queues.keys();
    const isFelt = next !== undefined && hasOthers(next, nowMs) && load() > BUSY_LOAD;
    if (isFelt) setTimeout(giveTurn, Math.min(MAX_REST_MS, nowMs - turnMs));
    else giveTurn();
  };

  const giveTurn = (): void => {
    isScheduled = false;
    turnMs = now();
    const [next] = queues;
    if (next === undefined) return;
    const [customerId, queue] = next;
    const isAlone = queues.size === 1 && !hasOthers(customerId, turnMs);
    const released = queue.splice(0, isAlone ? TURN_ALONE : 1);
    // Set anew behind the others.
    queues.delete(customerId);
    if (queue.length > 0) queues.set(customerId, queue);
    if (queues.size > 0) schedule();
    for (const { response, resolve, reject } of released) {
      if (response.closed) reject(unavailable(errorText('caller_left')));
      else resolve();
    }
  };

  const count = (customerId: CustomerId, response: ServerResponse): number => {
    const own = (inFlight.get(customerId) ?? 0) + 1;
    inFlight.set(customerId, own);
    response.once('close', () => {
      const left = (inFlight.get(customerId) ?? 1) - 1;
      if (left === 0) inFlight.delete(customerId);
      else inFlight.set(customerId, left);
    });
    return own;
  };

  return {
    async enter(customerId, response) {
      // Nothing is left to answer, and it would be counted for ever.
      if (response.closed) throw unavailable(errorText('caller_left'));
      const own = count(customerId, response);
      const queue = queues.get(customerId) ?? [];
      if (own <= FREE_REQUESTS && queue.length === 0) {
        notePass(customerId);
        return;
      }
      if (queue.length >= MAX_WAITING) throw tooMany();
      await new Promise<void>((resolve, reject) => {
        queue.push({ response, resolve, reject });
        queues.set(customerId, queue);
        schedule();
      });
    },
  };
}

function tooMany(): Problem {
  return new Problem('rate_limited', errorText('requests_waiting', { max: MAX_WAITING }), {
    headers: { 'retry-after': '1' },
  });
}
