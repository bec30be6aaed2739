// A channel over sessions: submits parts on a session with room in its window, turns answers into outcomes and inbound messages into
// feedback. One timer checks all timeouts of all sessions.
import { createAcceptedWindow } from '../accepted-window.js';
import type { Arrival, Channel, ChannelHealth, Feedback, Part, SessionEvent, SubmitOutcome } from '../channel.js';
import type { DriverDeps } from '../driver.js';
import { createFifoQueue } from './fifo-queue.js';
import { keepLink, type Link } from './link.js';
import type { SessionObserver } from './metrics.js';
import { createOutcomeStream, type OutcomeStream } from './outcome-stream.js';
import type { Acknowledgement } from './protocol.js';
import { openSession, type Session, type SessionEvents, type SessionOptions } from './session.js';
import { startSweepTimer } from './sweep-timer.js';

/**
 * The channel accepts more parts than the windows of its sessions hold, so that the next part is sent as soon as an answer arrives,
 * not after the next commit. Parts that wait here for a session are certainly unsent. Per session, in windows and in parts.
 */
const WINDOWS_ACCEPTED = 5;
const MAX_ACCEPTED = 100;

/** One connection, reopened whenever it closes. */
export interface ConnectionOptions<Pdu, Submission> {
  /** Names it in logs and session events, such as the kind of login. */
  readonly label: string;
  /** False if it only receives. */
  readonly sends: boolean;
  readonly session: SessionOptions<Pdu, Submission>;
}

/** Turns inbound messages of the peer into feedback. */
export interface InboundHandler<Pdu> {
  /** `session` is the one that received the PDU. */
  handle(pdu: Pdu, respond: (acknowledgement: Acknowledgement) => void, session?: Arrival['session']): void;
  onFeedback(listener: (feedback: Feedback) => void): void;
  tick(now: number): void;
  stop(): void;
}

export interface SessionChannelOptions<Pdu, Submission> {
  /** Its name in log lines. */
  readonly protocol: string;
  readonly host: string;
  readonly port: number;
  readonly account: string;
  readonly connections: readonly ConnectionOptions<Pdu, Submission>[];
  /** Sessions that send. */
  readonly sessions: number;
  /** Unanswered parts per session. */
  readonly window: number;
  readonly responseTimeoutMs: number;
  readonly reconnectMinMs: number;
  readonly reconnectMaxMs: number;
  /** A part that waited this long while no session was up is returned as unsent. */
  readonly unsentAfterMs: number;
  /** For peers that close idle connections: reconnect only when there is something to send. */
  readonly connectsOnDemand?: boolean;
  /** `submitted` are all parts of the same call. Returns a code, with which the part is refused, if it cannot be encoded. */
  readonly buildSubmission: (
    part: Part,
    submitted: readonly Part[],
  ) => { readonly submission: Submission } | { readonly fault: string };
  readonly readOutcome: (part: Part, answer: Pdu) => SubmitOutcome;
  /** Why the session must close after this answer, such as that the peer no longer considers it bound. */
  readonly findSessionFault?: (answer: Pdu) => string | undefined;
  readonly inbound: InboundHandler<Pdu>;
  readonly observer: SessionObserver;
  readonly deps: Pick<DriverDeps, 'log' | 'clock' | 'now' | 'random'>;
}

export interface SessionChannel<Pdu> extends Channel {
  /** For a connection that the peer opened: `open` gets the events of a receive-only session. The channel ticks and closes it. */
  acceptSession(open: (events: SessionEvents<QueuedPart, Pdu>) => Session<QueuedPart, never>): void;
}

/** A part that waits for a session, or for its answer. */
export interface QueuedPart {
  readonly part: Part;
  /** All parts of the same call of `submit`, in order. */
  readonly submitted: readonly Part[];
  readonly outcomes: OutcomeStream;
  readonly queuedAt: number;
}

interface Connection<Submission> {
  readonly sends: boolean;
  readonly link: Link<QueuedPart, Submission>;
}

export function openSessionChannel<Pdu, Submission>(
  options: SessionChannelOptions<Pdu, Submission>,
): SessionChannel<Pdu> {
  const { host, port, inbound, observer, unsentAfterMs } = options;
  const { clock, log, now: wallClock, random } = options.deps;
  /** How many parts the peer may owe an answer. The channel accepts more, see `window` below. */
  const carrierWindow = options.window * options.sessions;
  const maxAccepted = Math.min(MAX_ACCEPTED, options.window * WINDOWS_ACCEPTED) * options.sessions;
  const accepted = createAcceptedWindow(carrierWindow, maxAccepted);

  const queue = createFifoQueue<QueuedPart>();
  let previous: { readonly part: Part; readonly session: Session<QueuedPart, Submission> } | undefined;
  let lateListener: ((outcome: SubmitOutcome) => void) | undefined;
  let sessionListener: ((event: SessionEvent) => void) | undefined;
  let lastFault: string | undefined;
  let state: ChannelHealth['state'] = 'down';
  let since = new Date(wallClock());
  let closing: Promise<void> | undefined;
  let onLastAcceptedClosed: () => void = () => {};

  const connections: Connection<Submission>[] = options.connections.map((connection) => ({
    sends: connection.sends,
    link: openLink(connection),
  }));
  /** Connections that the peer opened. */
  const peerSessions = new Set<Session<QueuedPart, never>>();

  function openLink({
    label,
    session: sessionOptions,
  }: ConnectionOptions<Pdu, Submission>): Link<QueuedPart, Submission> {
    let lostAt: number | undefined;
    return keepLink<QueuedPart, Submission>({
      open(onClosed) {
        const origin = { isOpen: () => session.state !== 'closed' };
        const session: Session<QueuedPart, Submission> = openSession<QueuedPart, Pdu, Submission>(sessionOptions, {
          onBound() {
            emitSession('bound', label);
            if (lostAt === undefined) return;
            const fields = { host, port, bind: label, down_ms: Math.round(clock() - lostAt) };
            log.info(fields, `${options.protocol} session is up again`);
            lostAt = undefined;
          },
          onReady: pump,
          onAnswer: (queued, answer, latencyMs) => handleAnswer(session, queued, answer, latencyMs),
          onLateAnswer: handleLateAnswer,
          onUnknown: (queued, reason) =>
            answerPart(queued, { part: queued.part, kind: 'unknown', code: reason }, undefined),
          onInbound: (pdu, respond) => inbound.handle(pdu, respond, origin),
          onRefused: (reason) => logRefused(label, reason),
          onClosed,
        });
        return session;
      },
      reconnectMinMs: options.reconnectMinMs,
      reconnectMaxMs: options.reconnectMaxMs,
      random,
      ...(options.connectsOnDemand === true && { isNeeded: () => queue.size > 0 }),
      onDown(reason, retryMs) {
        lastFault = reason;
        lostAt ??= clock();
        emitSession('down', label, `${reason}; reconnects in ${(retryMs / 1_000).toFixed(1)} s`);
        const fields = { host, port, bind: label, reason, retry_ms: retryMs };
        log.warn(fields, `${options.protocol} session is down`);
        observer.sessions(countBound(connections));
        updateState();
      },
    });
  }

  function logRefused(label: string, reason: string): void {
    log.warn({ host, port, bind: label, reason }, `${options.protocol} refused a PDU of the peer`);
  }

  function emitSession(kind: SessionEvent['kind'], label: string, why?: string): void {
    const where = `${host}:${port} as ${options.account}, ${label}`;
    sessionListener?.({ kind, detail: why === undefined ? where : `${where}: ${why}` });
  }

  function answerPart(queued: QueuedPart, outcome: SubmitOutcome, latencyMs: number | undefined): void {
    observer.outcome(outcome.kind, latencyMs);
    queued.outcomes.push(outcome);
  }

  function handleAnswer(
    session: Session<QueuedPart, Submission>,
    queued: QueuedPart,
    answer: Pdu,
    latencyMs: number,
  ): void {
    accepted.answered(latencyMs);
    answerPart(queued, options.readOutcome(queued.part, answer), latencyMs);
    const fault = options.findSessionFault?.(answer);
    if (fault !== undefined) session.drain(fault);
  }

  function handleLateAnswer(queued: QueuedPart, answer: Pdu): void {
    observer.lateAnswer();
    lateListener?.(options.readOutcome(queued.part, answer));
  }

  function pickSession(part: Part): Session<QueuedPart, Submission> | undefined {
    // The parts of one message use one session: on two, one could overtake another.
    if (part.part > 1 && previous?.part.to === part.to && previous.part.from === part.from) {
      const { session } = previous;
      if (session.state === 'bound') return session.canSubmit() ? session : undefined;
    }
    let best: Session<QueuedPart, Submission> | undefined;
    for (const { sends, link } of connections) {
      const { session } = link;
      if (!sends || session === undefined || !session.canSubmit()) continue;
      if (best === undefined || session.inFlight < best.inFlight) best = session;
    }
    return best;
  }

  function pump(): void {
    for (let queued = queue.first(); queued !== undefined; queued = queue.first()) {
      const session = pickSession(queued.part);
      if (session === undefined) break;
      queue.removeFirst();
      submitOn(session, queued);
    }
    if (queue.size > 0) for (const { link } of connections) link.wake();
    observer.window(countInFlight(connections), carrierWindow);
    observer.sessions(countBound(connections));
    updateState();
  }

  function submitOn(session: Session<QueuedPart, Submission>, queued: QueuedPart): void {
    const { part } = queued;
    const built = options.buildSubmission(part, queued.submitted);
    if ('fault' in built) {
      answerPart(queued, { part, kind: 'refused', code: built.fault }, undefined);
      return;
    }
    session.submit(queued, built.submission);
    previous = { part, session };
  }

  /** Returns parts that no session has taken as unsent. */
  function returnUnsent(matches: (queued: QueuedPart) => boolean): void {
    for (const queued of queue.removeAll(matches)) answerPart(queued, { part: queued.part, kind: 'unsent' }, undefined);
  }

  const sweepMs = Math.max(5, Math.min(250, Math.floor(options.responseTimeoutMs / 10)));
  let downSince: number | undefined;
  const stopSweep = startSweepTimer(sweepMs, clock, (now) => {
    for (const { link } of connections) link.tick(now);
    for (const session of peerSessions) session.tick(now);
    inbound.tick(now);
    // Counted from when the last session went down, at the earliest: a part that waited long behind others gets the full time.
    downSince = countSending(connections) > 0 ? undefined : (downSince ?? now);
    if (downSince !== undefined && now - downSince >= unsentAfterMs) {
      returnUnsent((queued) => now - queued.queuedAt >= unsentAfterMs);
    }
  });

  function updateState(): void {
    const next = readState(connections);
    if (next === state) return;
    state = next;
    since = new Date(wallClock());
  }

  function health(): ChannelHealth {
    updateState();
    const sessions = countSending(connections);
    return state === 'up' ? { state, sessions, since } : { state, sessions, detail: lastFault ?? 'connecting', since };
  }

  async function closeAll(): Promise<void> {
    returnUnsent(() => true);
    inbound.stop();
    for (const session of peerSessions) session.drain('the channel is closing');
    const allAcceptedClosed = new Promise<void>((resolve) => {
      onLastAcceptedClosed = resolve;
      if (peerSessions.size === 0) resolve();
    });
    await Promise.all([allAcceptedClosed, ...connections.map(({ link }) => link.close())]);
    stopSweep();
    observer.sessions(0);
  }

  return {
    window: maxAccepted,
    accepts: accepted.size,
    submit(parts, signal) {
      const onAbort = () => returnUnsent((queued) => queued.outcomes === outcomes);
      const outcomes = createOutcomeStream(parts.length, () => signal.removeEventListener('abort', onAbort));
      const queuedAt = clock();
      const isClosed = closing !== undefined || signal.aborted;
      for (const part of parts) {
        const queued: QueuedPart = { part, submitted: parts, outcomes, queuedAt };
        if (isClosed) answerPart(queued, { part, kind: 'unsent' }, undefined);
        else queue.push(queued);
      }
      if (!isClosed && parts.length > 0) {
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
    load: () => ({ in_flight: countInFlight(connections), size: carrierWindow }),
    close() {
      closing ??= closeAll();
      return closing;
    },
    acceptSession(open) {
      const session: Session<QueuedPart, never> = open({
        onBound: () => log.info({ host, port }, `${options.protocol} session of the peer is up`),
        onReady() {},
        onAnswer() {},
        onLateAnswer() {},
        onUnknown() {},
        onInbound: inbound.handle,
        onRefused: (reason) => logRefused('session of the peer', reason),
        onClosed(reason) {
          peerSessions.delete(session);
          log.info({ host, port, reason }, `${options.protocol} session of the peer has ended`);
          if (peerSessions.size === 0) onLastAcceptedClosed();
        },
      });
      peerSessions.add(session);
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

/** An idle link reconnects when there is something to send. */
function isUsable({ session, isIdle }: Link<QueuedPart, unknown>): boolean {
  return session?.state === 'bound' || isIdle;
}

function countInFlight(connections: readonly Connection<unknown>[]): number {
  return connections.reduce((sum, { link }) => sum + (link.session?.inFlight ?? 0), 0);
}

function readState(connections: readonly Connection<unknown>[]): ChannelHealth['state'] {
  if (connections.every(({ link }) => isUsable(link))) return 'up';
  return countSending(connections) > 0 ? 'degraded' : 'down';
}
