// One client of the message centre: reads its PDUs, answers them, and carries deliveries to it within a window.
import type { Socket } from 'node:net';
import { decodePdu } from '../channels/smpp/codec.js';
import { createFramer } from '../channels/smpp/framing.js';
import { createOutbox } from '../channels/smpp/outbox.js';
import { type MalformedPdu, type Pdu, type PduOf, STATUS } from '../channels/smpp/pdu.js';
import { createWindow } from '../channels/smpp/window.js';
import type { Delivery } from './deliveries.js';

export interface CentreSession {
  readonly systemId: string | undefined;
  canDeliver(): boolean;
  deliver(delivery: Delivery): void;
  answer(sequence: number, status: number, messageId: string): void;
  /** Ends the connection at once; what was not yet written is lost. */
  cut(): void;
  unbind(): void;
  sendGarbage(octets: Buffer): void;
}

export interface CentreEvents {
  /** The status of the answer to a bind. */
  authenticate(systemId: string, password: string): number;
  onBound(session: CentreSession): void;
  onSubmit(session: CentreSession, pdu: PduOf<'submit_sm'>): void;
  /** The client has room for deliveries. */
  onRoom(session: CentreSession): void;
  onAcknowledged(delivery: Delivery): void;
  /** Turned away, or lost with the connection: it is to be sent again. */
  onReturned(delivery: Delivery, isTurnedAway: boolean): void;
  onMalformed(): void;
  onClosed(session: CentreSession): void;
}

export function serveClient(
  socket: Socket,
  options: { deliverWindow: number; answerEnquiries: boolean },
  events: CentreEvents,
): CentreSession {
  const framer = createFramer();
  const window = createWindow<Delivery>();
  let systemId: string | undefined;
  let canSend = false;
  let canReceive = false;
  let isOpen = true;
  const outbox = createOutbox((octets) => {
    if (isOpen) socket.write(octets);
  });

  const session: CentreSession = {
    get systemId() {
      return systemId;
    },
    canDeliver: () => isOpen && canReceive && window.inFlight < options.deliverWindow,
    deliver(delivery) {
      const sequence = window.nextSequence();
      window.add(sequence, delivery, 0);
      outbox.send('deliver_sm', STATUS.ESME_ROK, sequence, delivery.body, delivery.tlvs);
    },
    answer(sequence, status, messageId) {
      if (isOpen) outbox.send('submit_sm_resp', status, sequence, { message_id: messageId });
    },
    cut() {
      close();
      socket.destroy();
    },
    unbind() {
      canReceive = false;
      outbox.send('unbind', STATUS.ESME_ROK, window.nextSequence());
    },
    sendGarbage(octets) {
      outbox.flush();
      if (isOpen) socket.write(octets);
    },
  };

  function close(): void {
    if (!isOpen) return;
    isOpen = false;
    events.onClosed(session);
    for (const { ticket } of window.clear()) events.onReturned(ticket, false);
  }

  function handleBind(pdu: PduOf<'bind_receiver' | 'bind_transmitter' | 'bind_transceiver'>): void {
    const answer = `${pdu.command}_resp` as const;
    const status =
      systemId === undefined ? events.authenticate(pdu.body.system_id, pdu.body.password) : STATUS.ESME_RALYBND;
    outbox.send(answer, status, pdu.sequence, { system_id: 'postrider-smsc' });
    if (status !== STATUS.ESME_ROK) return;
    systemId = pdu.body.system_id;
    canSend = pdu.command !== 'bind_receiver';
    canReceive = pdu.command !== 'bind_transmitter';
    events.onBound(session);
  }

  function handleDeliverAnswer(pdu: PduOf<'deliver_sm_resp'> | PduOf<'generic_nack'>): void {
    const request = window.settle(pdu.sequence);
    if (request === undefined) return;
    if (pdu.status === STATUS.ESME_ROK) events.onAcknowledged(request.ticket);
    else events.onReturned(request.ticket, true);
  }

  function handle(pdu: Pdu | MalformedPdu): void {
    switch (pdu.command) {
      case 'submit_sm':
        if (canSend) events.onSubmit(session, pdu);
        else outbox.send('submit_sm_resp', STATUS.ESME_RINVBNDSTS, pdu.sequence);
        return;
      case 'deliver_sm_resp':
      case 'generic_nack':
        handleDeliverAnswer(pdu);
        return;
      case 'bind_receiver':
      case 'bind_transmitter':
      case 'bind_transceiver':
        handleBind(pdu);
        return;
      case 'enquire_link':
        if (options.answerEnquiries) outbox.send('enquire_link_resp', STATUS.ESME_ROK, pdu.sequence);
        return;
      case 'unbind':
        outbox.send('unbind_resp', STATUS.ESME_ROK, pdu.sequence);
        outbox.flush();
        socket.end();
        return;
      case 'unbind_resp':
      case 'enquire_link_resp':
        return;
      default:
        events.onMalformed();
        outbox.send('generic_nack', STATUS.ESME_RINVCMDID, pdu.sequence);
    }
  }

  socket.setNoDelay(true);
  socket.on('data', (chunk: Buffer) => {
    const isSound = framer.push(chunk, (frame) => {
      if (isOpen) handle(decodePdu(frame));
    });
    if (isOpen && !isSound) {
      events.onMalformed();
      outbox.send('generic_nack', STATUS.ESME_RINVCMDLEN, 0);
      outbox.flush();
      socket.destroySoon();
    }
    if (isOpen) events.onRoom(session);
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', close);
  return session;
}
