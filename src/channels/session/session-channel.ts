// A channel over sessions: parts go out over a session that has room, answers become outcomes, and what the peer sends becomes
// feedback. One timer serves every timeout of every session.
import { setImmediate as afterReads } from 'node:timers';
import type { Arrival, Channel, ChannelHealth, Feedback, Part, SessionEvent, SubmitOutcome } from '../channel.js';
import type { DriverDeps } from '../driver.js';
import { keepLink, type Link } from './link.js';
import type { SessionObserver } from './metrics.js';
import { createOutcomeStream, type OutcomeStream } from './outcome-stream.js';
import type { Verdict } from './protocol.js';
import { openSession, type Session, type SessionEvents, type SessionOptions } from './session.js';

/** Sweeps in a row that may be put off for coming late. */
const MAX_HELD_UP = 8;

/** How many windows of parts a session may hold, sent or about to be, and how many parts at most. */
const WINDOWS_HELD = 5;
const MAX_HELD = 100;

/** One connection that is kept up. */
export interface ConnectionOptions<Pdu, Submission> {
  /** In logs and session events, such as the kind of login. */
  readonly label: string;
  /** Whether parts go out over it, or it only receives. */
  readonly sends: boolean;
  readonly session: SessionOptions<Pdu, Submission>;
}

/** Reports and uplinks of the peer, as feedback. */
export interface InboundHandler<Pdu> {
  /** `session` is the one that it came on. */
  handle(pdu: Pdu, respond: (verdict: Verdict) => void, session?: Arrival['session']): void;
  onFeedback(listener: (feedback: Feedback) => void): void;
  tick(now: number): void;
  stop(): void;
}

export interface SessionChannelOptions<Pdu, Submission> {
  /** As log lines name it. */
  readonly protocol: string;
  readonly host: string;
  readonly port: number;
  readonly account: string;
  readonly connections: readonly ConnectionOptions<Pdu, Submission>[];
  /** Sessions that send, and unanswered parts each may have. */
  readonly sessions: number;
  readonly window: number;
  readonly responseTimeoutMs: number;
  readonly reconnectMinMs: number;
  readonly reconnectMaxMs: number;
  /** How long a part waits for a session when none is up before it is given back unsent. */
  readonly unsentAfterMs: number;
  /** For peers that close idle connections: sessions that ended idle are opened when there is something to send. */
  readonly connectsOnDemand?: boolean;
  /** A code instead of a submission refuses a part that cannot be put on the wire. */
  readonly buildSubmission: (
    part: Part,
    siblings: readonly Part[],
  ) => { readonly submission: Submission } | { readonly fault: string };
  readonly readOutcome: (part: Part, answer: Pdu) => SubmitOutcome;
  /** Why the session must end after this answer, such as that the peer does not know it any more. */
  readonly findSessionFault?: (answer: Pdu) => string | undefined;
  readonly inbound: InboundHandler<Pdu>;
  readonly observer: SessionObserver;
  readonly deps: Pick<DriverDeps, 'log' | 'clock' | 'now' | 'random'>;
}

export interface SessionChannel<Pdu> extends Channel {
  /**
   * For connections that the peer opens: the events of a session that only receives, and its place among those that are ticked
   * and closed with the channel.
   */
  acceptSession(open: (events: SessionEvents<Job, Pdu>) => Session<Job, never>): void;
}

export interface Job {
  readonly part: Part;
  readonly siblings: readonly Part[];
  readonly outcomes: OutcomeStream;
  readonly queuedAt: number;
}

interface Connection<Submission> {
  readonly sends: boolean;
  readonly link: Link<Job, Submission>;
}

export function openSessionChannel<Pdu, Submission>(
  options: SessionChannelOptions<Pdu, Submission>,
): SessionChannel<Pdu> {
  const { host, port, inbound, observer, unsentAfterMs } = options;
  const { clock, log, now: wallClock, random } = options.deps;
  const window = options.window * options.sessions;

  const queue: Job[] = [];
  let queueHead = 0;
  let previous: { readonly part: Part; readonly session: Session<Job, Submission> } | undefined;
  let lateListener: ((outcome: SubmitOutcome) => void) | undefined;
  let sessionListener: ((event: SessionEvent) => void) | undefined;
  let lastFault: string | undefined;
  let state: ChannelHealth['state'] = 'down';
  let since = new Date(wallClock());
  let closing: Promise<void> | undefined;
  let onAcceptedGone: () => void = () => {};

  const connections: Connection<Submission>[] = options.connections.map((connection) => ({
    sends: connection.sends,
    link: openLink(connection),
  }));
  /** Connections that the peer opened. */
  const accepted = new Set<Session<Job, never>>();

  function openLink({ label, session: sessionOptions }: ConnectionOptions<Pdu, Submission>): Link<Job, Submission> {
    return keepLink<Job, Submission>({
      open(onClosed) {
        const origin = { isOpen: () => session.state !== 'closed' };
        const session: Session<Job, Submission> = openSession<Job, Pdu, Submission>(sessionOptions, {
          onBound: () => emitSession('bound', label),
          onReady: pump,
          onAnswer: (job, answer, latencyMs) => handleAnswer(session, job, answer, latencyMs),
          onLateAnswer: handleLateAnswer,
          onUnknown: (job, reason) => settle(job, { part: job.part, kind: 'unknown', code: reason }, undefined),
          onInbound: (pdu, respond) => inbound.handle(pdu, respond, origin),
          onClosed,
        });
        return session;
      },
      reconnectMinMs: options.reconnectMinMs,
      reconnectMaxMs: options.reconnectMaxMs,
      random,
      ...(options.connectsOnDemand === true && { isNeeded: () => queueHead < queue.length }),
      onDown(reason, retryMs) {
        lastFault = reason;
        emitSession('down', label, `${reason}; tried again in ${(retryMs / 1_000).toFixed(1)} s`);
        const fields = { host, port, bind: label, reason, retry_ms: retryMs };
        log.warn(fields, `${options.protocol} session is down`);
        observer.sessions(countBound(connections));
        health();
      },
    });
  }

  function emitSession(kind: SessionEvent['kind'], label: string, why?: string): void {
    const where = `${host}:${port} as ${options.account}, ${label}`;
    sessionListener?.({ kind, detail: why === undefined ? where : `${where}: ${why}` });
  }

  function settle(job: Job, outcome: SubmitOutcome, latencyMs: number | undefined): void {
    observer.outcome(outcome.kind, latencyMs);
    job.outcomes.push(outcome);
  }

  function handleAnswer(session: Session<Job, Submission>, job: Job, answer: Pdu, latencyMs: number): void {
    settle(job, options.readOutcome(job.part, answer), latencyMs);
    const fault = options.findSessionFault?.(answer);
    if (fault !== undefined) session.drain(fault);
  }

  function handleLateAnswer(job: Job, answer: Pdu): void {
    observer.lateAnswer();
    lateListener?.(options.readOutcome(job.part, answer));
  }

  function pickSession(part: Part): Session<Job, Submission> | undefined {
    // The parts of one message follow each other on one session: over two they could overtake.
    if (part.part > 1 && previous?.part.to === part.to && previous.part.from === part.from) {
      const { session } = previous;
      if (session.state === 'bound') return session.canSubmit() ? session : undefined;
    }
    let best: Session<Job, Submission> | undefined;
    for (const { sends, link } of connections) {
      const { session } = link;
      if (!sends || session === undefined || !session.canSubmit()) continue;
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
    } else {
      for (const { link } of connections) link.wake();
    }
    observer.window(countInFlight(connections), window);
    observer.sessions(countBound(connections));
    health();
  }

  function hand(job: Job, session: Session<Job, Submission>): void {
    const { part } = job;
    const built = options.buildSubmission(part, job.siblings);
    if ('fault' in built) {
      settle(job, { part, kind: 'refused', code: built.fault }, undefined);
      return;
    }
    session.submit(job, built.submission);
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

  const sweepMs = Math.max(5, Math.min(250, Math.floor(options.responseTimeoutMs / 10)));
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
      for (const session of accepted) session.tick(now);
      inbound.tick(now);
      // A part that has waited long for its turn still waits for a session that has only just gone.
      downSince = countSending(connections) > 0 ? undefined : (downSince ?? now);
      if (downSince !== undefined && now - downSince >= unsentAfterMs) {
        giveBack((job) => now - job.queuedAt >= unsentAfterMs);
      }
    });
  }

  function health(): ChannelHealth {
    const next = readState(connections);
    if (next !== state) {
      state = next;
      since = new Date(wallClock());
    }
    const sessions = countSending(connections);
    return state === 'up' ? { state, sessions, since } : { state, sessions, detail: lastFault ?? 'connecting', since };
  }

  async function closeAll(): Promise<void> {
    giveBack(() => true);
    inbound.stop();
    for (const session of accepted) session.drain('the channel is closing');
    const accepting = new Promise<void>((resolve) => {
      onAcceptedGone = resolve;
      if (accepted.size === 0) resolve();
    });
    await Promise.all([accepting, ...connections.map(({ link }) => link.close())]);
    clearTimeout(sweepTimer);
    observer.sessions(0);
  }

  return {
    // More than the peer may be asked at once: what waits here for room in a session never left, and the next part goes
    // out the moment an answer comes, not after the next commit.
    window: Math.min(MAX_HELD, options.window * WINDOWS_HELD) * options.sessions,
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
    acceptSession(open) {
      const session: Session<Job, never> = open({
        onReady() {},
        onAnswer() {},
        onLateAnswer() {},
        onUnknown() {},
        onInbound: inbound.handle,
        onClosed(reason) {
          accepted.delete(session);
          log.info({ host, port, reason }, `${options.protocol} session of the peer has ended`);
          if (accepted.size === 0) onAcceptedGone();
        },
      });
      accepted.add(session);
      if (closing !== undefined) session.drain('the channel is closing');
    },
  };
}

function countBound(connections: readonly Connection<unknown>[]): number {
  return connections.filter(({ link }) => link.session?.state === 'bound').length;
}

function countSending(connections: readonly Connection<unknown>[]): number {
  return connections.filter(({ sends, link }) => sends && isUsable(link)).length;
}

/** A link that rests connects when there is something to send. */
function isUsable({ session, isResting }: Link<Job, unknown>): boolean {
  return session?.state === 'bound' || isResting;
}

function countInFlight(connections: readonly Connection<unknown>[]): number {
  return connections.reduce((sum, { link }) => sum + (link.session?.inFlight ?? 0), 0);
}

function readState(connections: readonly Connection<unknown>[]): ChannelHealth['state'] {
  if (connections.every(({ link }) => isUsable(link))) return 'up';
  return countSending(connections) > 0 ? 'degraded' : 'down';
}
