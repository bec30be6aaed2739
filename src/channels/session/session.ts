// One connection to a carrier, from connect to close: logs in, submits within a window, answers the peer, detects a dead peer. A
// session never reconnects and never resends. It has no timer but the socket's timeout while it closes: its owner calls `tick`. Its states
// only move forward: connecting, binding, bound, draining, closed. What differs between protocols is in `protocol.ts`.
import type { Socket } from 'node:net';
import { createFramer } from './framing.js';
import { createInboundGate } from './inbound-gate.js';
import { createLiveness } from './liveness.js';
import { createLogout } from './logout.js';
import { createOutbox } from './outbox.js';
import type { Acknowledgement, SessionProtocol } from './protocol.js';
import { createCounter, createWindow } from './window.js';

/** Beyond this the peer sends without reading our answers: nothing more is read from it until it catches up. */
const MAX_UNWRITTEN_BYTES = 1024 * 1024;
const MAX_MALFORMED = 100;
/** Set in the first octet of the command of every answer, in all of these protocols. */
const ANSWER_BIT = 0x80;
const PEER_CLOSED = 'the peer closed the connection';

export type SessionState = 'connecting' | 'binding' | 'bound' | 'draining' | 'closed';

export interface SessionOptions<Pdu, Submission> {
  readonly protocol: SessionProtocol<Pdu, Submission>;
  readonly connect: () => Socket;
  /** The socket event after which it can be written to; undefined for a connection that the peer opened. */
  readonly connectEvent: 'connect' | 'secureConnect' | undefined;
  /** Checks the peer's login on a connection that it opened. Returns a reason to refuse it. */
  readonly admit?: (login: Pdu) => string | undefined;
  readonly window: number;
  /** Silence after which a keepalive is sent; undefined: never. */
  readonly keepaliveMs: number | undefined;
  readonly responseTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly clock: () => number;
  readonly firstSequence?: number;
  /** For sequence numbers that are unique over several sessions. Overrides `firstSequence`. */
  readonly nextSequence?: () => number;
  /** Silence after which an unused session logs out, for peers that close idle connections; undefined: never. */
  readonly idleMs?: number;
}

export interface SessionEvents<Ticket, Pdu> {
  onBound?(): void;
  /** A part may be submitted: the session is bound, or a slot in the window became free. */
  onReady(): void;
  onAnswer(ticket: Ticket, answer: Pdu, latencyMs: number): void;
  onLateAnswer(ticket: Ticket, answer: Pdu): void;
  /** No answer in time, or the connection closed before it: the peer may or may not have the part. */
  onUnknown(ticket: Ticket, reason: 'response_timeout' | 'connection_lost'): void;
  onInbound(pdu: Pdu, respond: (acknowledgement: Acknowledgement) => void): void;
  /** The peer sent a PDU that was refused or ignored. Called once for each reason: a peer can send any number of them. */
  onRefused(reason: string): void;
  onClosed(reason: string): void;
}

export interface Session<Ticket, Submission> {
  readonly state: SessionState;
  readonly inFlight: number;
  /** Whether the peer sent anything but a logout since the login. Not only answers: a receiver gets none. */
  readonly hasWorked: boolean;
  /** Whether it was bound, unused and without a fault when it closed. */
  readonly endedIdle: boolean;
  canSubmit(): boolean;
  /** Only when `canSubmit`. Throws when a field overflows, and then nothing was sent. */
  submit(ticket: Ticket, submission: Submission): void;
  /** Submits nothing more, waits for the answers in flight, logs out. */
  drain(reason: string): void;
  destroy(reason: string): void;
  tick(now: number): void;
}

export function openSession<Ticket, Pdu, Submission>(
  options: SessionOptions<Pdu, Submission>,
  events: SessionEvents<Ticket, Pdu>,
): Session<Ticket, Submission> {
  const { protocol, clock, responseTimeoutMs } = options;
  const window = createWindow<Ticket>(options.nextSequence ?? createCounter(options.firstSequence));
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
  const refusals = new Set<string>();
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
    end: closeGracefully,
  });

  function enter(next: SessionState): void {
    state = next;
    stateSince = clock();
  }

  function destroy(reason: string): void {
    markClosed(reason);
    socket.destroy();
  }

  /** `onClosed` is called later, when the socket is closed: carriers count the login until then. */
  function markClosed(reason: string): void {
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

  /** Writes the pending answers to the peer before the socket closes. */
  function closeGracefully(reason: string): void {
    outbox.flush();
    socket.setTimeout(responseTimeoutMs, () => socket.destroy());
    socket.destroySoon();
    markClosed(reason);
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
    // A refusal may carry any sequence number: until the login is answered it can refer to nothing else.
    if (refusal !== undefined) {
      closeGracefully(`${protocol.loginName} refused: ${refusal}`);
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
    else closeGracefully(`login refused: ${refusal}`);
  }

  function handleSubmitAnswer(pdu: Pdu): void {
    const sequence = protocol.sequenceOf(pdu);
    const request = window.settle(sequence);
    if (request === undefined) {
      const late = window.settleLate(sequence);
      if (late !== undefined) events.onLateAnswer(late.ticket, pdu);
      else noteRefused('an answer to no request');
      return;
    }
    hasWorked = true;
    events.onAnswer(request.ticket, pdu, clock() - request.sentAt);
    continueDrain();
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
        if (logout.isOurs(protocol.sequenceOf(pdu))) closeGracefully(closeReason ?? 'unbound');
        return;
      case 'keepalive_answer':
        // `liveness` has noted it.
        hasWorked = true;
        return;
      case 'refused':
        noteRefused('a malformed or unknown answer');
        return;
      default:
        return;
    }
  }

  function handleRequest(pdu: Pdu): void {
    switch (protocol.roleOf(pdu, state === 'binding')) {
      case 'message':
        if (state !== 'bound') {
          gate.reject(pdu);
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
    liveness.noteReceived(clock());
    const requests: Pdu[] = [];
    // Answers first: a burst of reports must not delay the next parts.
    const isValid = framer.push(chunk, (frame) => {
      const pdu = protocol.decode(frame);
      if (((frame[4] as number) & ANSWER_BIT) !== 0) handleAnswer(pdu);
      else requests.push(pdu);
    });
    for (const pdu of requests) {
      if (isOpen()) handleRequest(pdu);
    }
    if (!isValid && isOpen()) {
      writer.refuseFrame?.();
      closeGracefully('the peer sent a frame of impossible length');
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

  function checkPeer(now: number): void {
    if (options.idleMs !== undefined && isUnused() && liveness.silenceMs(now) >= options.idleMs) {
      drain('idle');
      endedIdle = true;
      return;
    }
    const peer = liveness.check(now);
    if (peer === 'dead') destroy('keepalive was not answered');
    else if (peer === 'keepalive_due') writer.keepalive?.(window.nextSequence());
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
    closeGracefully(`the peer left before the ${protocol.loginName} was done`);
  }

  function noteRefused(reason: string): void {
    if (refusals.has(reason)) return;
    refusals.add(reason);
    events.onRefused(reason);
  }

  function refuse(pdu: Pdu): void {
    malformed += 1;
    noteRefused('a malformed or unknown request');
    writer.refuse?.(pdu);
    if (malformed > MAX_MALFORMED) closeGracefully('too many PDUs that make no sense');
  }

  function drain(reason: string): void {
    if (state === 'closed' || state === 'draining') return;
    closeReason = reason;
    if (state !== 'bound') {
      destroy(reason);
      return;
    }
    startDrain();
    continueDrain();
  }

  function tickOpening(now: number): void {
    if (now - stateSince >= options.connectTimeoutMs) destroy(`no answer while ${state}`);
  }

  function tickLoggedIn(now: number): void {
    const expired = window.expire(now - responseTimeoutMs);
    for (const { ticket } of expired) events.onUnknown(ticket, 'response_timeout');
    if (expired.length > 0) events.onReady();
    if (state === 'bound') {
      gate.tick(now);
      checkPeer(now);
      return;
    }
    continueDrain();
    if (logout.isOverdue(now, responseTimeoutMs)) destroy('the logout was not answered');
  }

  if (options.connectEvent === undefined) startLogin();
  else socket.once(options.connectEvent, startLogin);
  socket.on('data', handleData);
  socket.on('drain', () => socket.resume());
  socket.on('error', (error: NodeJS.ErrnoException) => {
    // A write that crosses the close of the peer fails with EPIPE: the close is the reason.
    closeReason ??= error.code === 'EPIPE' ? PEER_CLOSED : error.message;
  });
  // From here on nothing can be written: a part must not be submitted until the socket has closed on our side too.
  socket.on('end', () => {
    endedIdle = endedIdle || isUnused();
    closeGracefully(PEER_CLOSED);
  });
  socket.on('close', () => {
    endedIdle = endedIdle || isUnused();
    markClosed(PEER_CLOSED);
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
    destroy,
    tick(now) {
      if (state === 'connecting' || state === 'binding') tickOpening(now);
      else if (state !== 'closed') tickLoggedIn(now);
    },
  };
}
