// Requests of one customer must not delay those of others, however many there are: the event loop works on one thing at a
// time. A customer with few requests in flight passes at once. Further ones wait: in each tick of the loop every
// waiting customer gets one request, in rotation. While the loop is busy and others are at work, a customer with a long line rests after
// each release, longer each time, until the loop has time to spare. Alone, a customer has all of it, and a tick releases several.
//
// Rows of lists and exports are limited, too: beside others, a customer gets the next ones after a rest in proportion to those before.

import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { addTo } from '../../domain/counts.js';
import { errorText } from '../../domain/fault/error-text.js';
import type { CustomerId } from '../../domain/id.js';
import { BUSY_LOAD, createLoopLoad } from '../../pipeline/fairness/loop-load.js';
import { onceOver } from '../once-over.js';
import { type Problem, unavailable } from '../problem/problem.js';
import { rateLimited } from '../problem/rate-limited.js';

export interface RequestFairness {
  /** Resolves when the request may be worked on. Throws the answer to one too many, and where the caller left. */
  enter(customerId: CustomerId, response: ServerResponse): Promise<void>;
  /** Resolves when so many rows may be read or written down for the customer. */
  takeRows(customerId: CustomerId, rows: number): Promise<void>;
}

export interface RequestFairnessOptions {
  /** Between 0 and 1. */
  readonly load?: () => number;
  /** Milliseconds; must not go backwards. */
  readonly now?: () => number;
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/** Of one customer, in flight without waiting. */
const FREE_REQUESTS = 4;
const MAX_WAITING = 1000;
/** Requests per tick of the loop, of one customer alone or of several: a few milliseconds, for which a newcomer waits once. */
const MAX_RELEASED = 32;
/** Several equal customers have shorter lines, which delay others only briefly: those do not rest. */
const LONG_LINE = 8;
/** Others count as at work for so long after a request of theirs. */
const OTHERS_MS = 1000;
const MIN_REST_MS = 4;
const MAX_REST_MS = 256;
/** About what a row costs the loop: it is parsed, shown, given a cursor and written down. */
const ROW_MS = 0.04;
/** The rest after rows, in times of what they cost: longer the busier the loop is. */
const MAX_ROWS_REST = 8;
/** However many rows a customer has taken, the next ones wait no longer. */
const MAX_ROWS_WAIT_MS = 2000;

interface Pass {
  readonly customerId: CustomerId;
  readonly atMs: number;
}

interface Queue {
  readonly waiters: Waiter[];
  /** After the next release. */
  restMs: number;
}

interface Waiter {
  readonly response: ServerResponse;
  resolve(): void;
  reject(error: Problem): void;
}

export function createRequestFairness({
  load = createLoopLoad(),
  now = () => performance.now(),
  sleep = wait,
}: RequestFairnessOptions = {}): RequestFairness {
  const inFlight = new Map<CustomerId, number>();
  /** Customers whose requests wait. */
  const queues = new Map<CustomerId, Queue>();
  /** Those that do not rest; the first is the next. */
  const rotation = new Map<CustomerId, Queue>();
  /** Until when customers rest after their last rows. The first ends first, nearly. */
  const rowsRests = new Map<CustomerId, number>();
  let isScheduled = false;
  /** The last customer whose request passed at once, and the last one before it that was another. */
  let latest: Pass | undefined;
  let previous: Pass | undefined;

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
    if (isScheduled || rotation.size === 0) return;
    isScheduled = true;
    setImmediate(releaseNext);
  };

  const addToRotation = (customerId: CustomerId, queue: Queue): void => {
    rotation.set(customerId, queue);
    schedule();
  };

  const releaseNext = (): void => {
    isScheduled = false;
    // A copy: a customer that still has waiters goes to the end of the rotation, for the next tick of the loop.
    for (const [customerId, queue] of [...rotation].slice(0, MAX_RELEASED)) release(customerId, queue);
    schedule();
  };

  const release = (customerId: CustomerId, queue: Queue): void => {
    rotation.delete(customerId);
    const isBesideOthers = hasOthers(customerId, now());
    const isAlone = queues.size === 1 && !isBesideOthers;
    const released = queue.waiters.splice(0, isAlone ? MAX_RELEASED : 1);
    if (queue.waiters.length === 0) queues.delete(customerId);
    else if (isBesideOthers && queue.waiters.length > LONG_LINE) rest(customerId, queue);
    else rotation.set(customerId, queue);
    for (const { response, resolve, reject } of released) {
      if (response.closed) reject(unavailable(errorText('caller_left')));
      else resolve();
    }
  };

  const rest = (customerId: CustomerId, queue: Queue): void => {
    const isBusy = load() > BUSY_LOAD;
    const next = isBusy ? Math.min(MAX_REST_MS, Math.max(MIN_REST_MS, queue.restMs * 2)) : queue.restMs / 2;
    queue.restMs = next < MIN_REST_MS ? 0 : next;
    if (queue.restMs === 0) addToRotation(customerId, queue);
    else void sleep(queue.restMs).then(() => addToRotation(customerId, queue));
  };

  const count = (customerId: CustomerId, response: ServerResponse): number => {
    onceOver(response, () => addTo(inFlight, customerId, -1));
    return addTo(inFlight, customerId, 1);
  };

  /** Returns how long to wait for these rows, and begins the rest after them. */
  const bookRows = (customerId: CustomerId, rows: number): number => {
    const nowMs = now();
    for (const [id, untilMs] of rowsRests) {
      if (untilMs > nowMs) break;
      rowsRests.delete(id);
    }
    const othersWait = queues.size > (queues.has(customerId) ? 1 : 0);
    if (!othersWait && !hasOthers(customerId, nowMs)) return 0;
    const startMs = Math.max(nowMs, rowsRests.get(customerId) ?? nowMs);
    const rest = Math.min(MAX_ROWS_REST, 1 / (1 - load()));
    rowsRests.delete(customerId);
    rowsRests.set(customerId, Math.min(nowMs + MAX_ROWS_WAIT_MS, startMs + rows * ROW_MS * (1 + rest)));
    return startMs - nowMs;
  };

  return {
    async takeRows(customerId, rows) {
      const waitMs = bookRows(customerId, rows);
      if (waitMs > 0) await sleep(waitMs);
    },
    async enter(customerId, response) {
      // Nothing is left to answer, and it would be counted for ever.
      if (response.closed) throw unavailable(errorText('caller_left'));
      const own = count(customerId, response);
      const queue = queues.get(customerId);
      if (own <= FREE_REQUESTS && queue === undefined) {
        notePass(customerId);
        return;
      }
      if (queue !== undefined && queue.waiters.length >= MAX_WAITING) throw tooMany();
      await new Promise<void>((resolve, reject) => {
        const waiter = { response, resolve, reject };
        if (queue !== undefined) queue.waiters.push(waiter);
        else {
          const opened = { waiters: [waiter], restMs: 0 };
          queues.set(customerId, opened);
          addToRotation(customerId, opened);
        }
      });
    },
  };
}

function tooMany(): Problem {
  return rateLimited(
    errorText('requests_waiting', { max: MAX_WAITING }),
    { name: 'waiting requests', count: MAX_WAITING },
    1,
  );
}
