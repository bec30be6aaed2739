// A channel over HTTP: each part is one request, so many at a time, and what the answer says is its outcome. An upstream that
// cannot be connected to, or that leaves requests without a valid answer one after the other, takes the channel down: a
// backlog that is sent on regardless would become unknown, message by message.

import { backoffMs } from '../../domain/backoff.js';
import type { AddressGuard } from '../../outbound/address-guard.js';
import { createAcceptedWindow } from '../accepted-window.js';
import type { Channel, ChannelHealth, Part, SessionEvent } from '../channel.js';
import type { DriverDeps } from '../driver.js';
import { createOutcomeStream, type OutcomeStream } from '../session/outcome-stream.js';
import { readAnswer } from './answer.js';
import { createHttpClient } from './client.js';
import type { HttpConfig } from './config.js';
import { parseText } from './placeholders.js';
import { probe } from './probe.js';
import { createRequestBuilder, type HttpRequest } from './request.js';

/** Unknown outcomes in a row that take the channel down. */
const MAX_UNKNOWN_IN_A_ROW = 5;
const RECONNECT = { firstMs: 500, mostMs: 60_000 };
/** Parts held for each request that may be under way, and at most. */
const HELD_A_REQUEST = 5;
const MAX_HELD = 100;

export interface HttpObserver {
  inFlight(count: number, size: number): void;
  answered(latencyMs: number): void;
}

export interface HttpChannelDeps extends Pick<DriverDeps, 'log' | 'clock' | 'now' | 'random'> {
  readonly guard: AddressGuard;
  readonly observer: HttpObserver;
}

interface QueuedPart {
  readonly part: Part;
  readonly outcomes: OutcomeStream;
}

export function openHttpChannel(config: HttpConfig, deps: HttpChannelDeps): Channel {
  const { guard, observer, log, clock, now } = deps;
  const { concurrency, timeout_ms: timeoutMs } = config;
  const buildRequest = createRequestBuilder(config);
  const client = createHttpClient(guard, concurrency, timeoutMs);
  const origin = originOf(config.url);
  const closing = new AbortController();
  const idle: (() => void)[] = [];
  const maxHeld = Math.min(MAX_HELD, concurrency * HELD_A_REQUEST);
  const accepted = createAcceptedWindow(Math.min(MAX_HELD, concurrency), maxHeld);
  let queue: QueuedPart[] = [];
  let inFlight = 0;
  let health: ChannelHealth = { state: 'down', sessions: 0, detail: 'connecting', since: new Date(now()) };
  let unknownInARow = 0;
  /** Times that the channel went down since the last valid answer. */
  let failures = 0;
  let reconnecting: NodeJS.Timeout | undefined;
  let lostAt: number | undefined;
  let sessionListener: ((event: SessionEvent) => void) | undefined;

  /** Returns parts without a request as unsent, if `matches` is true. */
  const returnUnsent = (matches: (queued: QueuedPart) => boolean): void => {
    const waiting = queue;
    queue = waiting.filter((queued) => !matches(queued));
    for (const queued of waiting) if (matches(queued)) queued.outcomes.push({ part: queued.part, kind: 'unsent' });
  };

  /** After a row of unknown outcomes one request tries whether the upstream answers again. */
  const limit = (): number => (unknownInARow >= MAX_UNKNOWN_IN_A_ROW ? 1 : concurrency);

  const pump = (): void => {
    while (health.state === 'up' && inFlight < limit()) {
      const queued = queue.shift();
      if (queued === undefined) break;
      const built = buildRequest(queued.part);
      if ('fault' in built) queued.outcomes.push({ part: queued.part, kind: 'refused', code: built.fault });
      else void send(queued, built.request);
    }
    observer.inFlight(inFlight, concurrency);
  };

  const send = async (queued: QueuedPart, request: HttpRequest): Promise<void> => {
    inFlight += 1;
    const startedAt = clock();
    const exchange = await client.exchange(request);
    inFlight -= 1;
    if (exchange.kind === 'unsent') {
      queued.outcomes.push({ part: queued.part, kind: 'unsent' });
      goDown(exchange.reason);
    } else if (exchange.kind === 'lost') {
      queued.outcomes.push({ part: queued.part, kind: 'unknown', code: exchange.code });
      countUnknown(exchange.code);
    } else {
      accepted.answered(clock() - startedAt);
      observer.answered(clock() - startedAt);
      const outcome = readAnswer(queued.part, exchange.answer, config.answer);
      queued.outcomes.push(outcome);
      if (outcome.kind === 'unknown') countUnknown(`HTTP status ${exchange.answer.status}`);
      else {
        unknownInARow = 0;
        failures = 0;
      }
    }
    pump();
    if (inFlight === 0) for (const resolve of idle.splice(0)) resolve();
  };

  const countUnknown = (reason: string): void => {
    unknownInARow += 1;
    if (unknownInARow >= MAX_UNKNOWN_IN_A_ROW) goDown(`${unknownInARow} requests without a valid answer: ${reason}`);
  };

  const goDown = (reason: string): void => {
    if (health.state !== 'down' || health.detail !== reason) {
      health = { state: 'down', sessions: 0, detail: reason, since: new Date(now()) };
    }
    returnUnsent(() => true);
    if (closing.signal.aborted || reconnecting !== undefined) return;
    failures += 1;
    const pauseMs = backoffMs(failures, RECONNECT, deps.random);
    lostAt ??= clock();
    log.warn({ host: origin.host, reason, retry_ms: pauseMs }, 'HTTP upstream is down');
    sessionListener?.({ kind: 'down', detail: `${origin.host}: ${reason}` });
    reconnecting = setTimeout(connect, pauseMs);
  };

  const connect = (): void => {
    void probe(origin, guard, timeoutMs, closing.signal).then((fault) => {
      reconnecting = undefined;
      if (closing.signal.aborted) return;
      if (fault !== undefined) return goDown(fault);
      health = { state: 'up', sessions: 1, since: new Date(now()) };
      sessionListener?.({ kind: 'bound', detail: origin.host });
      if (lostAt !== undefined) {
        log.info({ host: origin.host, down_ms: Math.round(clock() - lostAt) }, 'HTTP upstream is up again');
        lostAt = undefined;
      }
      pump();
    });
  };
  reconnecting = setTimeout(connect, 0);

  const closeAll = async (): Promise<void> => {
    closing.abort();
    clearTimeout(reconnecting);
    returnUnsent(() => true);
    if (inFlight > 0) await new Promise<void>((resolve) => idle.push(resolve));
    client.close();
  };
  let closed: Promise<void> | undefined;

  return {
    window: maxHeld,
    accepts: accepted.size,
    submit(parts, signal) {
      const onAbort = () => returnUnsent((queued) => queued.outcomes === outcomes);
      const outcomes = createOutcomeStream(parts.length, () => signal.removeEventListener('abort', onAbort));
      const queuedParts = parts.map((part): QueuedPart => ({ part, outcomes }));
      if (closing.signal.aborted || signal.aborted || health.state === 'down') {
        for (const queued of queuedParts) queued.outcomes.push({ part: queued.part, kind: 'unsent' });
      } else if (queuedParts.length > 0) {
        signal.addEventListener('abort', onAbort);
        queue.push(...queuedParts);
        pump();
      }
      return outcomes;
    },
    // Reports and uplinks come as callbacks, which any process stores for the one that owns the channel.
    onFeedback() {},
    onSession(listener) {
      sessionListener = listener;
    },
    health: () => health,
    load: () => ({ in_flight: inFlight, size: concurrency }),
    close() {
      closed ??= closeAll();
      return closed;
    },
  };
}

function originOf(url: string): URL {
  const sample = parseText(url).map((piece, at) => (at % 2 === 0 ? piece : 'x'));
  return new URL(new URL(sample.join('')).origin);
}
