// One connection to a carrier from connect to close: login, submit within a window, answer the peer, notice when it is gone.
// A session never reconnects and never resends. It has no timer: its owner calls `tick`. Its states go one way:
// connecting, binding, bound, draining, closed. What differs between protocols is in `protocol.ts`.
import type { Socket } from 'node:net';
import { createFramer } from './framing.js';
import { createInboundGate } from './inbound-gate.js';
import { createLiveness } from './liveness.js';
import { createLogout } from './logout.js';
import { createOutbox } from './outbox.js';
import type { SessionProtocol, Verdict } from './protocol.js';
import { createCounter, createWindow } from './window.js';

/** Beyond this the peer sends without reading; it is not read from until it has caught up. */
const MAX_UNWRITTEN_BYTES = 1024 * 1024;
const MAX_MALFORMED = 100;
/** Of the first octet of a command: answers have it set, in every one of these protocols. */
const ANSWER_BIT = 0x80;

export type SessionState = 'connecting' | 'binding' | 'bound' | 'draining' | 'closed';

export interface SessionOptions<Pdu, Submission> {
  readonly protocol: SessionProtocol<Pdu, Submission>;
  readonly connect: () => Socket;
  /** The socket's event that says it can be written to; undefined for a connection that the peer opened, which is open. */
  readonly connectEvent: 'connect' | 'secureConnect' | undefined;
  /** Checks the peer's login on a connection that it opened; a text refuses it. */
  readonly admit?: (login: Pdu) => string | undefined;
  readonly window: number;
  /** Silence after which the peer is asked whether it is there; undefined: never. */
  readonly keepaliveMs: number | undefined;
  readonly responseTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly clock: () => number;
  readonly firstSequence?: number;
  /** Where numbers must be unique over several sessions. It wins over `firstSequence`. */
  readonly nextSequence?: () => number;
  /** Silence after which an unused session logs out, for peers that close idle connections; undefined: never. */
  readonly idleMs?: number;
}

export interface SessionEvents<T, Pdu> {
  onBound?(): void;
  /** Something changed in favour of sending: bound, or a place in the window came free. */
  onReady(): void;
  onAnswer(ticket: T, answer: Pdu, latencyMs: number): void;
  onLateAnswer(ticket: T, answer: Pdu): void;
  /** No answer in time, or the connection ended without one: the peer may or may not have it. */
  onUnknown(ticket: T, reason: 'response_timeout' | 'connection_lost'): void;
  onInbound(pdu: Pdu, respond: (verdict: Verdict) => void): void;
  onClosed(reason: string): void;
}

export interface Session<T, Submission> {
  readonly state: SessionState;
  readonly inFlight: number;
  /** Whether the peer has sent anything since the login but a logout: a receiver gets no answers to submits. */
  readonly hasWorked: boolean;
  /** Whether it was bound, unused and without a fault when it ended. */
  readonly endedIdle: boolean;
  canSubmit(): boolean;
  /** Only when `canSubmit`. Throws when a field overflows, and then nothing was sent. */
  submit(ticket: T, submission: Submission): void;
  /** Sends nothing more, waits for what is in flight, logs out. */
  drain(reason: string): void;
  destroy(reason: string): void;
  tick(now: number): void;
}

export function openSession<T, Pdu, Submission>(
  options: SessionOptions<Pdu, Submission>,
  events: SessionEvents<T, Pdu>,
): Session<T, Submission> {
  const { protocol, clock, responseTimeoutMs } = options;
  const window = createWindow<T>(options.nextSequence ?? createCounter(options.firstSequence));
  const framer = createFramer(protocol.headerBytes, protocol.maxFrameBytes);
  const socket = options.connect();
  const outbox = createOutbox((octets) => {
    if (!socket.write(octets) && socket.writableLength > MAX_UNWRITTEN_BYTES) socket.pause();
  });
  const writer = protocol.createWriter(outbox);

  let state: SessionState = 'connecting';
  let stateSince = clock();
  let loginSequence = 0;
  let closeReason: string | undefined;
  let hasWorked = false;
  let endedIdle = false;
  let malformed = 0;
  const liveness = createLiveness(options.keepaliveMs ?? Infinity, responseTimeoutMs, stateSince);
  const gate = createInboundGate<Pdu>(writer, {
    clock,
    onInbound: events.onInbound,
    isOpen,
    onAnswered: continueDrain,
    onStuck: () => drain('messages of the peer could not be stored'),
  });
  const logout = createLogout<Pdu>(writer, {
    clock,
    logsOut: options.admit === undefined,
    inFlight: () => window.inFlight,
    beingStored: () => gate.waiting,
    nextSequence: window.nextSequence,
    end,
  });

  function enter(next: SessionState): void {
    state = next;
    stateSince = clock();
  }

  function finish(reason: string): void {
    settleClosed(reason);
    socket.destroy();
  }

  /** The owner of the session learns of its end when the socket is gone: carriers count a login until then. */
  function settleClosed(reason: string): void {
    if (state === 'closed') return;
    closeReason ??= reason;
    enter('closed');
    for (const { ticket } of window.clear()) events.onUnknown(ticket, 'connection_lost');
  }

  function startLogin(): void {
    if (state !== 'connecting') return;
    socket.setNoDelay(true);
    enter('binding');
    if (options.admit !== undefined) return;
    loginSequence = window.nextSequence();
    writer.login(loginSequence);
  }

  /** The last answers owed to the peer go out before the socket ends. */
  function end(reason: string): void {
    outbox.flush();
    socket.setTimeout(responseTimeoutMs, () => socket.destroy());
    socket.destroySoon();
    settleClosed(reason);
  }

  function continueDrain(): void {
    if (state === 'draining') logout.proceed();
  }

  function startDrain(): void {
    enter('draining');
    logout.begin();
  }

  function handleLoginAnswer(pdu: Pdu): void {
    if (state !== 'binding') return;
    const refusal = protocol.findLoginRefusal(pdu);
    // A refusal may carry any number: before the login is answered it can mean nothing else.
    if (refusal !== undefined) {
      end(`${protocol.loginName} refused: ${refusal}`);
      return;
    }
    if (protocol.sequenceOf(pdu) !== loginSequence) return;
    enterBound();
  }

  function enterBound(): void {
    enter('bound');
    events.onBound?.();
    events.onReady();
  }

  /** On a connection that the peer opened. */
  function handleLogin(pdu: Pdu): void {
    if (options.admit === undefined || state !== 'binding') {
      refuse(pdu);
      return;
    }
    const refusal = options.admit(pdu);
    writer.answerLogin?.(pdu, refusal);
    if (refusal === undefined) enterBound();
    else end(`login refused: ${refusal}`);
  }

  function handleSubmitAnswer(pdu: Pdu): void {
    const sequence = protocol.sequenceOf(pdu);
    const request = window.settle(sequence);
    if (request === undefined) {
      const late = window.settleLate(sequence);
      if (late !== undefined) events.onLateAnswer(late.ticket, pdu);
      return;
    }
    hasWorked = true;
    events.onAnswer(request.ticket, pdu, clock() - request.sentAt);
    if (state === 'draining') continueDrain();
  }

  function handleAnswer(pdu: Pdu): void {
    switch (protocol.roleOf(pdu, state === 'binding')) {
      case 'submit_answer':
        handleSubmitAnswer(pdu);
        return;
      case 'login_answer':
        handleLoginAnswer(pdu);
        return;
      case 'logout_answer':
        if (logout.isOurs(protocol.sequenceOf(pdu))) end(closeReason ?? 'unbound');
        return;
      case 'keepalive_answer':
        // It has done its work by being received.
        hasWorked = true;
        return;
      default:
        // An answer to nothing.
        return;
    }
  }

  function handleRequest(pdu: Pdu): void {
    switch (protocol.roleOf(pdu, state === 'binding')) {
      case 'message':
        if (state !== 'bound') {
          gate.turnAway(pdu);
          return;
        }
        hasWorked = true;
        gate.admit(pdu);
        return;
      case 'keepalive':
        hasWorked = hasWorked || state === 'bound';
        writer.answerKeepalive(pdu);
        return;
      case 'logout':
        handlePeerLogout(pdu);
        return;
      case 'login':
        handleLogin(pdu);
        return;
      case 'ignored':
        return;
      default:
        refuse(pdu);
    }
  }

  function handleData(chunk: Buffer): void {
    if (state === 'closed') return;
    liveness.heard(clock());
    const requests: Pdu[] = [];
    // Answers first: a burst of receipts must not make the parts behind it late.
    const isSound = framer.push(chunk, (frame) => {
      const pdu = protocol.decode(frame);
      if (((frame[4] as number) & ANSWER_BIT) !== 0) handleAnswer(pdu);
      else requests.push(pdu);
    });
    for (const pdu of requests) {
      if (isOpen()) handleRequest(pdu);
    }
    if (!isSound && isOpen()) {
      writer.refuseFrame?.();
      end('the peer sent a frame of impossible length');
    } else if (isOpen()) {
      events.onReady();
    }
  }

  function isOpen(): boolean {
    return state !== 'closed';
  }

  function isUnused(): boolean {
    return state === 'bound' && window.inFlight === 0 && gate.waiting === 0;
  }

  function watchPeer(now: number): void {
    if (options.idleMs !== undefined && isUnused() && liveness.silenceMs(now) >= options.idleMs) {
      drain('idle');
      endedIdle = true;
      return;
    }
    const due = liveness.judge(now);
    if (due === 'give_up') finish('keepalive was not answered');
    else if (due === 'ask') writer.keepalive?.(window.nextSequence());
  }

  function handlePeerLogout(pdu: Pdu): void {
    endedIdle = endedIdle || isUnused();
    logout.answerLater(pdu);
    if (state === 'bound') startDrain();
    if (state === 'draining') {
      continueDrain();
      return;
    }
    writer.answerLogout(pdu);
    end(`the peer left before the ${protocol.loginName} was done`);
  }

  function refuse(pdu: Pdu): void {
    malformed += 1;
    writer.refuse?.(pdu);
    if (malformed > MAX_MALFORMED) end('too many PDUs that make no sense');
  }

  function drain(reason: string): void {
    if (state === 'closed' || state === 'draining') return;
    closeReason = reason;
    if (state !== 'bound') {
      finish(reason);
      return;
    }
    startDrain();
    continueDrain();
  }

  /** Whether the session has got as far as it should have by now, connecting and binding. */
  function tickOpening(now: number): void {
    if (now - stateSince >= options.connectTimeoutMs) finish(`no answer while ${state}`);
  }

  function tickBound(now: number): void {
    const expired = window.expire(now - responseTimeoutMs);
    for (const { ticket } of expired) events.onUnknown(ticket, 'response_timeout');
    if (expired.length > 0) events.onReady();
    if (state === 'bound') {
      gate.tick(now);
      watchPeer(now);
      return;
    }
    continueDrain();
    if (logout.isOverdue(now, responseTimeoutMs)) finish('the logout was not answered');
  }

  if (options.connectEvent === undefined) startLogin();
  else socket.once(options.connectEvent, startLogin);
  socket.on('data', handleData);
  socket.on('drain', () => socket.resume());
  socket.on('error', (error) => {
    closeReason ??= error.message;
  });
  socket.on('close', () => {
    endedIdle = endedIdle || isUnused();
    settleClosed('the peer closed the connection');
    events.onClosed(closeReason ?? '');
  });

  return {
    get state() {
      return state;
    },
    get inFlight() {
      return window.inFlight;
    },
    get hasWorked() {
      return hasWorked;
    },
    get endedIdle() {
      return endedIdle;
    },
    canSubmit: () => state === 'bound' && window.inFlight < options.window,
    submit(ticket, submission) {
      const sequence = window.nextSequence();
      writer.submit(sequence, submission);
      window.add(sequence, ticket, clock());
    },
    drain,
    destroy: finish,
    tick(now) {
      if (state === 'connecting' || state === 'binding') tickOpening(now);
      else if (state !== 'closed') tickBound(now);
    },
  };
}
