// One connection to a message centre from connect to close: bind, submit within a window, answer the peer, notice when it
// is gone. A session never reconnects and never resends. It has no timer of its own: whoever opened it calls `tick`.
// Its states go one way: connecting, binding, bound, draining, closed.
import type { Socket } from 'node:net';
import { decodePdu, readInt4 } from './codec.js';
import { createFarewell } from './farewell.js';
import { createFramer } from './framing.js';
import { createInboundGate, type InboundPdu } from './inbound-gate.js';
import { createLiveness } from './liveness.js';
import { createOutbox } from './outbox.js';
import {
  type BindCommand,
  type Body,
  type MalformedPdu,
  nameStatus,
  type Pdu,
  type PduOf,
  STATUS,
  type Tlvs,
} from './pdu.js';
import { createWindow } from './window.js';

/** Beyond this the peer sends without reading; it is not read from until it has caught up. */
const MAX_UNWRITTEN_BYTES = 1024 * 1024;
const MAX_MALFORMED = 100;

export type SessionState = 'connecting' | 'binding' | 'bound' | 'draining' | 'closed';
export type SubmitAnswer = PduOf<'submit_sm_resp'> | PduOf<'generic_nack'>;

export interface SessionOptions {
  readonly connect: () => Socket;
  /** The socket's event that says it can be written to. */
  readonly connectEvent: 'connect' | 'secureConnect';
  readonly bind: BindCommand;
  readonly bindBody: Body<BindCommand>;
  readonly window: number;
  readonly enquireLinkMs: number;
  readonly responseTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly clock: () => number;
  readonly firstSequence?: number;
}

export interface SessionEvents<T> {
  onBound?(): void;
  /** Something changed in favour of sending: bound, or a place in the window came free. */
  onReady(): void;
  onAnswer(ticket: T, answer: SubmitAnswer, latencyMs: number): void;
  onLateAnswer(ticket: T, answer: SubmitAnswer): void;
  /** No answer in time, or the connection ended without one: the peer may or may not have it. */
  onUnknown(ticket: T, reason: 'response_timeout' | 'connection_lost'): void;
  onInbound(pdu: InboundPdu, respond: (status: number) => void): void;
  onClosed(reason: string): void;
}

export interface Session<T> {
  readonly state: SessionState;
  readonly inFlight: number;
  /** Whether the peer has said anything since the bind but that it unbinds: a receiver hears no answers to submits. */
  readonly hasWorked: boolean;
  canSubmit(): boolean;
  /** Only when `canSubmit`. Throws when a field overflows, and then nothing was sent. */
  submit(ticket: T, body: Body<'submit_sm'>, tlvs: Tlvs | undefined): void;
  /** Sends nothing more, waits for what is in flight, unbinds. */
  drain(reason: string): void;
  destroy(reason: string): void;
  tick(now: number): void;
}

export function openSession<T>(options: SessionOptions, events: SessionEvents<T>): Session<T> {
  const { clock, responseTimeoutMs } = options;
  const window = createWindow<T>(options.firstSequence);
  const framer = createFramer();
  const socket = options.connect();
  const outbox = createOutbox((octets) => {
    if (!socket.write(octets) && socket.writableLength > MAX_UNWRITTEN_BYTES) socket.pause();
  });

  let state: SessionState = 'connecting';
  let stateSince = clock();
  let bindSequence = 0;
  let closeReason: string | undefined;
  let hasWorked = false;
  let malformed = 0;
  const liveness = createLiveness(options.enquireLinkMs, responseTimeoutMs, stateSince);
  const gate = createInboundGate(outbox, { onInbound: events.onInbound, isOpen, onAnswered: continueDrain });
  const farewell = createFarewell(outbox, {
    clock,
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

  /** Whoever opened the session hears of its end when the socket is gone: carriers count a bind until then. */
  function settleClosed(reason: string): void {
    if (state === 'closed') return;
    closeReason ??= reason;
    enter('closed');
    for (const { ticket } of window.clear()) events.onUnknown(ticket, 'connection_lost');
  }

  function startBind(): void {
    if (state !== 'connecting') return;
    socket.setNoDelay(true);
    enter('binding');
    bindSequence = window.nextSequence();
    outbox.send(options.bind, STATUS.ESME_ROK, bindSequence, options.bindBody);
  }

  /** The last answers owed to the peer go out before the socket ends. */
  function end(reason: string): void {
    outbox.flush();
    socket.setTimeout(responseTimeoutMs, () => socket.destroy());
    socket.destroySoon();
    settleClosed(reason);
  }

  function continueDrain(): void {
    if (state === 'draining') farewell.goOn();
  }

  function startDrain(): void {
    enter('draining');
    farewell.begin();
  }

  function handleBindAnswer(pdu: Pdu): void {
    if (pdu.sequence !== bindSequence || state !== 'binding') return;
    if (pdu.status !== STATUS.ESME_ROK) {
      end(`bind refused: ${nameStatus(pdu.status)}`);
      return;
    }
    enter('bound');
    events.onBound?.();
    events.onReady();
  }

  function handleSubmitAnswer(pdu: SubmitAnswer): void {
    const request = window.settle(pdu.sequence);
    if (request === undefined) {
      const late = window.settleLate(pdu.sequence);
      if (late !== undefined) events.onLateAnswer(late.ticket, pdu);
      return;
    }
    hasWorked = true;
    events.onAnswer(request.ticket, pdu, clock() - request.sentAt);
    if (state === 'draining') continueDrain();
  }

  function handleAnswer(pdu: Pdu | MalformedPdu): void {
    switch (pdu.command) {
      case 'submit_sm_resp':
        handleSubmitAnswer(pdu);
        return;
      case 'generic_nack':
        // Before the bind is done the only request it can mean is the bind, whatever number it carries.
        if (state === 'binding') {
          end(`bind refused: ${nameStatus(pdu.status)}`);
          return;
        }
        handleSubmitAnswer(pdu);
        return;
      case 'bind_receiver_resp':
      case 'bind_transmitter_resp':
      case 'bind_transceiver_resp':
        handleBindAnswer(pdu);
        return;
      case 'unbind_resp':
        if (farewell.isOurs(pdu.sequence)) end(closeReason ?? 'unbound');
        return;
      default:
        // An enquire_link_resp has done its work by being heard; an answer to nothing is nobody's.
        if (pdu.command === 'enquire_link_resp') hasWorked = true;
        return;
    }
  }

  function handleRequest(pdu: Pdu | MalformedPdu): void {
    switch (pdu.command) {
      case 'deliver_sm':
      case 'data_sm':
        if (state !== 'bound') {
          gate.turnAway(pdu);
          return;
        }
        hasWorked = true;
        gate.admit(pdu);
        return;
      case 'enquire_link':
        hasWorked = hasWorked || state === 'bound';
        outbox.send('enquire_link_resp', STATUS.ESME_ROK, pdu.sequence);
        return;
      case 'unbind':
        handlePeerUnbind(pdu.sequence);
        return;
      case 'alert_notification':
      case 'outbind':
        // Neither has an answer: an alert is news only, and to an outbind the bind that was sent on connecting is the answer.
        return;
      default:
        refuse(pdu);
    }
  }

  function handleData(chunk: Buffer): void {
    if (state === 'closed') return;
    liveness.heard(clock());
    const requests: (Pdu | MalformedPdu)[] = [];
    // Answers first: a burst of receipts must not make the parts behind it late.
    const isSound = framer.push(chunk, (frame) => {
      const pdu = decodePdu(frame);
      if (readInt4(frame, 4) >= 0x80000000) handleAnswer(pdu);
      else requests.push(pdu);
    });
    for (const pdu of requests) {
      if (isOpen()) handleRequest(pdu);
    }
    if (!isSound && isOpen()) {
      outbox.send('generic_nack', STATUS.ESME_RINVCMDLEN, 0);
      end('the peer sent a frame of impossible length');
    } else if (isOpen()) {
      events.onReady();
    }
  }

  function isOpen(): boolean {
    return state !== 'closed';
  }

  function watchPeer(now: number): void {
    const due = liveness.judge(now);
    if (due === 'give_up') finish('enquire_link was not answered');
    else if (due === 'ask') outbox.send('enquire_link', STATUS.ESME_ROK, window.nextSequence());
  }

  function handlePeerUnbind(sequence: number): void {
    farewell.answerLater(sequence);
    if (state === 'bound') startDrain();
    if (state === 'draining') {
      continueDrain();
      return;
    }
    outbox.send('unbind_resp', STATUS.ESME_ROK, sequence);
    end('the peer unbound before the bind was done');
  }

  function refuse(pdu: Pdu | MalformedPdu): void {
    malformed += 1;
    const status = pdu.command === 'malformed' ? pdu.status : STATUS.ESME_RINVCMDID;
    outbox.send('generic_nack', status, pdu.sequence);
    if (malformed > MAX_MALFORMED) end('too many PDUs that make no sense');
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
      watchPeer(now);
      return;
    }
    continueDrain();
    if (farewell.isOverdue(now, responseTimeoutMs)) finish('unbind was not answered');
  }

  socket.once(options.connectEvent, startBind);
  socket.on('data', handleData);
  socket.on('drain', () => socket.resume());
  socket.on('error', (error) => {
    closeReason ??= error.message;
  });
  socket.on('close', () => {
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
    canSubmit: () => state === 'bound' && window.inFlight < options.window,
    submit(ticket, body, tlvs) {
      const sequence = window.nextSequence();
      outbox.send('submit_sm', STATUS.ESME_ROK, sequence, body, tlvs);
      window.add(sequence, ticket, clock());
    },
    drain(reason) {
      if (state === 'closed' || state === 'draining') return;
      closeReason = reason;
      if (state !== 'bound') {
        finish(reason);
        return;
      }
      startDrain();
      continueDrain();
    },
    destroy: finish,
    tick(now) {
      if (state === 'connecting' || state === 'binding') tickOpening(now);
      else if (state !== 'closed') tickBound(now);
    },
  };
}
