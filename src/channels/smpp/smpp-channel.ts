// The SMPP channel: parts go out over whichever session has room, answers become outcomes, and what the peer sends becomes
// feedback. One timer serves every timeout of every session.
import { setImmediate as afterReads } from 'node:timers';
import type { Log } from '../../domain/log.js';
import type { Channel, ChannelHealth, Part, SessionEvent, SubmitOutcome } from '../channel.js';
import type { SmppConfig } from './config.js';
import { createInbound } from './inbound.js';
import { keepLink, type Link } from './link.js';
import { type SmppObserver, silentObserver } from './observer.js';
import { createOutcomeStream, type OutcomeStream } from './outcome-stream.js';
import { type BindCommand, STATUS } from './pdu.js';
import { openSession, type Session, type SubmitAnswer } from './session.js';
import { createSubmissionBuilder, readOutcome } from './submission.js';
import { buildSessionOptions, listBinds } from './transport.js';
import { createUserReferences } from './user-reference.js';

/** Sweeps in a row that may be put off for coming late. */
const MAX_HELD_UP = 8;

/** How many windows of parts a session may hold, sent or about to be, and how many parts at most. */
const WINDOWS_HELD = 5;
const MAX_HELD = 100;

export interface SmppChannelOptions {
  readonly log: Log;
  /** Milliseconds that only ever grow: a clock that is set forward would time out everything in flight. */
  readonly clock: () => number;
  /** Milliseconds since the epoch, for what people and carriers are told. */
  readonly now: () => number;
  /** From 0 to just under 1. */
  readonly random: () => number;
  readonly observer?: SmppObserver;
}

interface Job {
  readonly part: Part;
  readonly siblings: readonly Part[];
  readonly outcomes: OutcomeStream;
  readonly queuedAt: number;
}

interface Connection {
  readonly bind: BindCommand;
  readonly link: Link<Job>;
}

export function openSmppChannel(config: SmppConfig, options: SmppChannelOptions): Channel {
  const { clock, log, random } = options;
  const observer = options.observer ?? silentObserver;
  const throttleCodes: ReadonlySet<number> = new Set(config.throttle_codes);
  const buildSubmission = createSubmissionBuilder(config, options.now);
  const userReferences = createUserReferences(config.user_message_reference);
  const window = config.window * config.sessions;

  const queue: Job[] = [];
  let queueHead = 0;
  let previous: { readonly part: Part; readonly session: Session<Job> } | undefined;
  let lateListener: ((outcome: SubmitOutcome) => void) | undefined;
  let sessionListener: ((event: SessionEvent) => void) | undefined;
  let lastFault: string | undefined;
  let state: ChannelHealth['state'] = 'down';
  let since = new Date(options.now());
  let closing: Promise<void> | undefined;

  const inbound = createInbound({
    config,
    clock,
    findReference: userReferences.find,
    onReceived: (kind) => observer.received(kind),
  });
  const connections: Connection[] = listBinds(config).map((bind) => ({ bind, link: openLink(bind) }));

  function openLink(bind: BindCommand): Link<Job> {
    return keepLink<Job>({
      open(onClosed) {
        const session: Session<Job> = openSession<Job>(buildSessionOptions(config, bind, clock), {
          onBound: () => tellSession('bound', bind),
          onReady: pump,
          onAnswer: (job, answer, latencyMs) => handleAnswer(session, job, answer, latencyMs),
          onLateAnswer: handleLateAnswer,
          onUnknown: (job, reason) => settle(job, { part: job.part, kind: 'unknown', code: reason }, undefined),
          onInbound: inbound.handle,
          onClosed,
        });
        return session;
      },
      reconnectMinMs: config.reconnect_min_ms,
      reconnectMaxMs: config.reconnect_max_ms,
      random,
      onDown(reason, retryMs) {
        lastFault = reason;
        tellSession('down', bind, `${reason}; tried again in ${(retryMs / 1_000).toFixed(1)} s`);
        log.warn({ host: config.host, port: config.port, bind, reason, retry_ms: retryMs }, 'SMPP session is down');
        observer.sessions(countBound(connections));
        health();
      },
    });
  }

  function tellSession(kind: SessionEvent['kind'], bind: BindCommand, why?: string): void {
    const where = `${config.host}:${config.port} as ${config.system_id}, ${bind}`;
    sessionListener?.({ kind, detail: why === undefined ? where : `${where}: ${why}` });
  }

  function settle(job: Job, outcome: SubmitOutcome, latencyMs: number | undefined): void {
    observer.outcome(outcome.kind, latencyMs);
    job.outcomes.push(outcome);
  }

  function handleAnswer(session: Session<Job>, job: Job, answer: SubmitAnswer, latencyMs: number): void {
    settle(job, readOutcome(job.part, answer, throttleCodes), latencyMs);
    // A peer that has lost the bind will take nothing more: the session ends in good order and a new one is bound.
    if (answer.status === STATUS.ESME_RINVBNDSTS) session.drain('the peer says the session is not bound');
  }

  function handleLateAnswer(job: Job, answer: SubmitAnswer): void {
    observer.lateAnswer();
    lateListener?.(readOutcome(job.part, answer, throttleCodes));
  }

  function pickSession(part: Part): Session<Job> | undefined {
    // The parts of one message follow each other on one session: over two they could overtake.
    if (part.part > 1 && previous?.part.to === part.to && previous.part.from === part.from) {
      const { session } = previous;
      if (session.state === 'bound') return session.canSubmit() ? session : undefined;
    }
    let best: Session<Job> | undefined;
    for (const { bind, link } of connections) {
      const { session } = link;
      if (bind === 'bind_receiver' || session === undefined || !session.canSubmit()) continue;
      if (best === undefined || session.inFlight < best.inFlight) best = session;
    }
    return best;
  }

  function pump(): void {
    while (queueHead < queue.length) {
      const job = queue[queueHead] as Job;
      const session = pickSession(job.part);
      if (session === undefined) break;
      queueHead += 1;
      hand(job, session);
    }
    if (queueHead === queue.length) {
      queue.length = 0;
      queueHead = 0;
    }
    observer.window(countInFlight(connections), window);
    observer.sessions(countBound(connections));
    health();
  }

  function hand(job: Job, session: Session<Job>): void {
    const { part } = job;
    const submission = buildSubmission(part, job.siblings);
    if (submission.fault !== undefined) {
      settle(job, { part, kind: 'refused', code: submission.fault }, undefined);
      return;
    }
    const tlvs = userReferences.attach(part, submission.tlvs);
    session.submit(job, submission.body, tlvs);
    previous = { part, session };
  }

  /** Gives back the jobs that `isOver` names and that no session has seen. */
  function giveBack(isOver: (job: Job) => boolean): void {
    const waiting = queue.splice(0).slice(queueHead);
    queueHead = 0;
    for (const job of waiting) {
      if (isOver(job)) settle(job, { part: job.part, kind: 'unsent' }, undefined);
      else queue.push(job);
    }
  }

  const sweepMs = Math.max(5, Math.min(250, Math.floor(config.response_timeout_ms / 10)));
  let sweptAt = clock();
  let heldUp = 0;
  let downSince: number | undefined;
  let sweepTimer = setTimeout(sweep, sweepMs);

  function sweep(): void {
    const late = clock() - sweptAt - sweepMs;
    sweptAt = clock();
    sweepTimer = setTimeout(sweep, sweepMs);
    // A process that was held up has answers waiting unread. They are read first; this round judges nobody. One that is
    // held up all the time must judge in the end.
    heldUp = late > sweepMs * 2 ? heldUp + 1 : 0;
    if (heldUp > 0 && heldUp <= MAX_HELD_UP) return;
    afterReads(() => {
      const now = clock();
      for (const { link } of connections) link.tick(now);
      inbound.tick(now);
      // A part that has waited long for its turn still waits for a session that has only just gone.
      downSince = countSending(connections) > 0 ? undefined : (downSince ?? now);
      if (downSince !== undefined && now - downSince >= config.unsent_after_ms) {
        giveBack((job) => now - job.queuedAt >= config.unsent_after_ms);
      }
    });
  }

  function health(): ChannelHealth {
    const next = readState(connections);
    if (next !== state) {
      state = next;
      since = new Date(options.now());
    }
    const sessions = countSending(connections);
    return state === 'up' ? { state, sessions, since } : { state, sessions, detail: lastFault ?? 'connecting', since };
  }

  async function closeAll(): Promise<void> {
    giveBack(() => true);
    inbound.stop();
    await Promise.all(connections.map(({ link }) => link.close()));
    clearTimeout(sweepTimer);
    observer.sessions(0);
  }

  return {
    // More than the peer may be asked at once: what waits here for room in a session never left, and the next part goes
    // out the moment an answer comes, not after the next commit.
    window: Math.min(MAX_HELD, config.window * WINDOWS_HELD) * config.sessions,
    submit(parts, signal) {
      const onAbort = () => giveBack((job) => job.outcomes === outcomes);
      const outcomes = createOutcomeStream(parts.length, () => signal.removeEventListener('abort', onAbort));
      const queuedAt = clock();
      const isOver = closing !== undefined || signal.aborted;
      for (const part of parts) {
        const job: Job = { part, siblings: parts, outcomes, queuedAt };
        if (isOver) settle(job, { part, kind: 'unsent' }, undefined);
        else queue.push(job);
      }
      if (!isOver && parts.length > 0) {
        signal.addEventListener('abort', onAbort);
        pump();
      }
      return outcomes;
    },
    onFeedback: (listener) => inbound.onFeedback(listener),
    onLateAnswer(listener) {
      lateListener = listener;
    },
    onSession(listener) {
      sessionListener = listener;
    },
    health,
    load: () => ({ in_flight: countInFlight(connections), size: window }),
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}

function countBound(connections: readonly Connection[]): number {
  return connections.filter(({ link }) => link.session?.state === 'bound').length;
}

function countSending(connections: readonly Connection[]): number {
  return connections.filter(({ bind, link }) => bind !== 'bind_receiver' && link.session?.state === 'bound').length;
}

function countInFlight(connections: readonly Connection[]): number {
  return connections.reduce((sum, { link }) => sum + (link.session?.inFlight ?? 0), 0);
}

function readState(connections: readonly Connection[]): ChannelHealth['state'] {
  if (countBound(connections) === connections.length) return 'up';
  return countSending(connections) > 0 ? 'degraded' : 'down';
}
