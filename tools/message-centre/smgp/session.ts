// One client of the SMGP message centre: checks its login, answers its Submits, and carries Delivers to it within a window.
import type { Socket } from 'node:net';
import { MAX_FRAME_BYTES, type MalformedPdu } from '#src/channels/china/fields.js';
import { hashLoginAnswer } from '#src/channels/china/login-hash.js';
import { splitHeader } from '#src/channels/china/long-text.js';
import { normaliseHandset } from '#src/channels/china/numbers.js';
import { decodeText } from '#src/channels/china/text-format.js';
import { createFramer } from '#src/channels/session/framing.js';
import { createOutbox } from '#src/channels/session/outbox.js';
import { createWindow } from '#src/channels/session/window.js';
import { decodePdu, encodePdu, HEADER_BYTES } from '#src/channels/smgp/codec.js';
import { hashClient } from '#src/channels/smgp/login.js';
import { type Body, type Command, NO_MESSAGE_ID, type Pdu, type PduOf, SMGP_VERSION } from '#src/channels/smgp/pdu.js';
import { decodeTlvs } from '#src/channels/smgp/tlvs.js';
import type { SmgpOptions } from '../options.js';
import type { CentreEvents, CentreSession } from '../protocol.js';
import type { SmgpDelivery, SmgpSubmitted } from './deliveries.js';

type Session = CentreSession<SmgpSubmitted, SmgpDelivery>;

const LOGIN = { ok: 0, authentication: 21, version: 22 } as const;
const RESULTS = { accept: 0, refuse: 58, throttle: 1 } as const;
const NO_AUTHENTICATOR = '0'.repeat(32);

export function serveClient(
  socket: Socket,
  options: SmgpOptions,
  events: CentreEvents<SmgpSubmitted, SmgpDelivery>,
): Session {
  const framer = createFramer(HEADER_BYTES, MAX_FRAME_BYTES);
  const window = createWindow<SmgpDelivery>();
  let account: string | undefined;
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
      if (isOpen) send('submit_resp', sequence, { msg_id: messageId || NO_MESSAGE_ID, status: RESULTS[answer] });
    },
    cut() {
      close();
      socket.destroy();
    },
    unbind() {
      isLeaving = true;
      send('exit', window.nextSequence());
    },
    sendGarbage(octets) {
      outbox.flush();
      if (isOpen) socket.write(octets);
    },
  };

  function send<C extends Command>(command: C, sequence: number, body?: Body<NoInfer<C>>): void {
    outbox.add(MAX_FRAME_BYTES, (target, offset) => encodePdu(target, offset, command, sequence, body));
  }

  function close(): void {
    if (!isOpen) return;
    isOpen = false;
    clearInterval(redeliver);
    events.onClosed(session);
    for (const { ticket } of window.clear()) events.onReturned(ticket, 'lost');
  }

  /** A message that the client never answered. */
  function returnUnanswered(): void {
    for (const { ticket } of window.expire(performance.now() - options.redeliverMs))
      events.onReturned(ticket, 'unanswered');
  }

  function handleLogin({ sequence, body }: PduOf<'login'>): void {
    const status = account === undefined ? checkLogin(body) : LOGIN.authentication;
    const isIn = status === LOGIN.ok;
    send('login_resp', sequence, {
      status,
      authenticator_server: isIn
        ? hashLoginAnswer(status, 4, body.authenticator_client, options.password)
        : NO_AUTHENTICATOR,
      server_version: SMGP_VERSION,
    });
    if (!isIn) {
      outbox.flush();
      socket.end();
      return;
    }
    account = body.client_id;
    events.onBound(session);
  }

  function checkLogin({ client_id, authenticator_client, client_version, timestamp }: Body<'login'>): number {
    if (client_version > SMGP_VERSION) return LOGIN.version;
    if (options.systemId === '') return LOGIN.ok;
    const expected = hashClient(options.systemId, options.password, timestamp);
    return client_id === options.systemId && authenticator_client === expected ? LOGIN.ok : LOGIN.authentication;
  }

  function handleSubmit({ sequence, body }: PduOf<'submit'>): void {
    const handset = body.dest_term_ids[0] ?? '';
    const { octets, segment } = splitHeader(decodeTlvs(body.tlvs).tp_udhi ?? 0, body.msg_content);
    const submitted: SmgpSubmitted = {
      sequence,
      handset,
      // Counted under one spelling, whichever the client uses.
      to: normaliseHandset(handset) ?? handset,
      from: body.src_term_id,
      segment,
      isReportWanted: body.need_report === 1,
    };
    events.onSubmit(session, submitted, () => decodeText(octets, body.msg_format));
  }

  function handleDeliverAnswer({ sequence, body }: PduOf<'deliver_resp'>): void {
    const request = window.settle(sequence);
    if (request === undefined) return;
    // An answer that names another message acknowledges nothing.
    const isTaken = body.status === 0 && body.msg_id === request.ticket.body.msg_id;
    if (isTaken) events.onAcknowledged(request.ticket);
    else events.onReturned(request.ticket, 'refused');
  }

  function handle(pdu: Pdu | MalformedPdu<number>): void {
    if (account === undefined && pdu.command !== 'login') {
      events.onMalformed();
      socket.destroySoon();
      return;
    }
    switch (pdu.command) {
      case 'login':
        handleLogin(pdu);
        return;
      case 'submit':
        handleSubmit(pdu);
        return;
      case 'deliver_resp':
        handleDeliverAnswer(pdu);
        return;
      case 'active_test':
        if (options.answerEnquiries) send('active_test_resp', pdu.sequence);
        return;
      case 'exit':
        send('exit_resp', pdu.sequence);
        outbox.flush();
        socket.end();
        return;
      case 'exit_resp':
      case 'active_test_resp':
        return;
      default:
        // SMGP has no answer to what cannot be understood.
        events.onMalformed();
    }
  }

  socket.setNoDelay(true);
  socket.on('data', (chunk: Buffer) => {
    const isSound = framer.push(chunk, (frame) => {
      if (isOpen) handle(decodePdu(frame));
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
