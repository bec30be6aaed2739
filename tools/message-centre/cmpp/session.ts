// One client of the CMPP message centre: checks its login, answers its Submits, and carries Delivers to it within a window.
import type { Socket } from 'node:net';
import { MAX_FRAME_BYTES, type MalformedPdu } from '#src/channels/china/fields.js';
import { hashLoginAnswer } from '#src/channels/china/login-hash.js';
import { splitHeader } from '#src/channels/china/long-text.js';
import { normaliseHandset } from '#src/channels/china/numbers.js';
import { decodeText } from '#src/channels/china/text-format.js';
import { decodePdu, encodePdu, HEADER_BYTES } from '#src/channels/cmpp/codec.js';
import { hashConnect, hashPaddedConnect } from '#src/channels/cmpp/login.js';
import {
  type Body,
  type CmppVersion,
  type Command,
  NO_MESSAGE_ID,
  type Pdu,
  type PduOf,
  VERSION_OCTETS,
} from '#src/channels/cmpp/pdu.js';
import { createFramer } from '#src/channels/session/framing.js';
import { createOutbox } from '#src/channels/session/outbox.js';
import { createWindow } from '#src/channels/session/window.js';
import type { CmppOptions } from '../options.js';
import type { CentreEvents, CentreSession } from '../protocol.js';
import type { CmppDelivery, CmppSubmitted } from './deliveries.js';

type Session = CentreSession<CmppSubmitted, CmppDelivery>;

const CONNECT = { ok: 0, source: 2, authentication: 3, version: 4 } as const;
const RESULTS = { accept: 0, refuse: 9, throttle: 8 } as const;
const NO_AUTHENTICATOR = '0'.repeat(32);

export function serveClient(
  socket: Socket,
  options: CmppOptions,
  events: CentreEvents<CmppSubmitted, CmppDelivery>,
): Session {
  const framer = createFramer(HEADER_BYTES, MAX_FRAME_BYTES);
  const window = createWindow<CmppDelivery>();
  let account: string | undefined;
  let version: CmppVersion = '2.0';
  let isOpen = true;
  let isLeaving = false;
  const outbox = createOutbox((octets) => {
    if (isOpen) socket.write(octets);
  });
  const redeliver = setInterval(returnUnanswered, Math.max(20, options.redeliverMs / 4));

  const session: Session = {
    get account() {
      return account;
    },
    canDeliver: () => isOpen && !isLeaving && account !== undefined && window.inFlight < options.deliverWindow,
    deliver(delivery) {
      const sequence = window.nextSequence();
      window.add(sequence, delivery, performance.now());
      send('deliver', sequence, delivery.body);
    },
    answer({ sequence }, answer, messageId) {
      if (isOpen) send('submit_resp', sequence, { msg_id: messageId || NO_MESSAGE_ID, result: RESULTS[answer] });
    },
    cut() {
      close();
      socket.destroy();
    },
    unbind() {
      isLeaving = true;
      send('terminate', window.nextSequence());
    },
    sendGarbage(octets) {
      outbox.flush();
      if (isOpen) socket.write(octets);
    },
  };

  function send<C extends Command>(command: C, sequence: number, body?: Body<NoInfer<C>>): void {
    outbox.add(MAX_FRAME_BYTES, (target, offset) => encodePdu(target, offset, version, command, sequence, body));
  }

  function close(): void {
    if (!isOpen) return;
    isOpen = false;
    clearInterval(redeliver);
    events.onClosed(session);
    for (const { ticket } of window.clear()) events.onReturned(ticket, 'lost');
  }

  /** A client that cannot store a message does not answer it. */
  function returnUnanswered(): void {
    for (const { ticket } of window.expire(performance.now() - options.redeliverMs))
      events.onReturned(ticket, 'unanswered');
  }

  function handleConnect({ sequence, body }: PduOf<'connect'>): void {
    // 0x21 has the layouts of 2.0.
    version = body.version >= VERSION_OCTETS['3.0'] ? '3.0' : '2.0';
    const status = account === undefined ? checkLogin(body) : CONNECT.authentication;
    const octets = version === '3.0' ? 4 : 1;
    send('connect_resp', sequence, {
      status,
      authenticator_ismg:
        status === CONNECT.ok
          ? hashLoginAnswer(status, octets, body.authenticator_source, options.password)
          : NO_AUTHENTICATOR,
      version: VERSION_OCTETS['3.0'],
    });
    if (status !== CONNECT.ok) {
      outbox.flush();
      socket.end();
      return;
    }
    account = body.source_addr;
    events.onBound(session);
  }

  function checkLogin({ source_addr, authenticator_source, version: octet, timestamp }: Body<'connect'>): number {
    if (octet > VERSION_OCTETS['3.0']) return CONNECT.version;
    if (options.systemId === '') return CONNECT.ok;
    if (source_addr !== options.systemId) return CONNECT.source;
    const hashes = [hashConnect, hashPaddedConnect].map((hash) => hash(source_addr, options.password, timestamp));
    return hashes.includes(authenticator_source) ? CONNECT.ok : CONNECT.authentication;
  }

  function handleSubmit({ sequence, body }: PduOf<'submit'>): void {
    const handset = body.dest_terminal_ids[0] ?? '';
    const { octets, segment } = splitHeader(body.tp_udhi, body.msg_content);
    const submitted: CmppSubmitted = {
      sequence,
      version,
      handset,
      serviceId: body.service_id,
      // Counted under one spelling, whichever the client uses.
      to: normaliseHandset(handset) ?? handset,
      from: body.src_id,
      segment,
      isReportWanted: body.registered_delivery === 1,
    };
    events.onSubmit(session, submitted, () => decodeText(octets, body.msg_fmt));
  }

  function handleDeliverAnswer({ sequence, body }: PduOf<'deliver_resp'>): void {
    const request = window.settle(sequence);
    if (request === undefined) return;
    // An answer that names another message acknowledges nothing.
    const isTaken = body.result === 0 && body.msg_id === request.ticket.body.msg_id;
    if (isTaken) events.onAcknowledged(request.ticket);
    else events.onReturned(request.ticket, 'refused');
  }

  function handle(pdu: Pdu | MalformedPdu<number>): void {
    if (account === undefined && pdu.command !== 'connect') {
      events.onMalformed();
      socket.destroySoon();
      return;
    }
    switch (pdu.command) {
      case 'connect':
        handleConnect(pdu);
        return;
      case 'submit':
        handleSubmit(pdu);
        return;
      case 'deliver_resp':
        handleDeliverAnswer(pdu);
        return;
      case 'active_test':
        if (options.answerEnquiries) send('active_test_resp', pdu.sequence, { reserved: '' });
        return;
      case 'terminate':
        send('terminate_resp', pdu.sequence);
        outbox.flush();
        socket.end();
        return;
      case 'terminate_resp':
      case 'active_test_resp':
        return;
      default:
        // CMPP has no answer to what cannot be understood.
        events.onMalformed();
    }
  }

  socket.setNoDelay(true);
  socket.on('data', (chunk: Buffer) => {
    const isSound = framer.push(chunk, (frame) => {
      if (isOpen) handle(decodePdu(frame, version));
    });
    if (isOpen && !isSound) {
      events.onMalformed();
      socket.destroySoon();
    }
    if (isOpen) events.onRoom(session);
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', close);
  return session;
}
