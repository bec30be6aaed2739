// One client of the message centre: reads its PDUs, answers them, and carries deliveries to it within a window.
import type { Socket } from 'node:net';
import { createWindow } from '#src/channels/session/window.js';
import { decodeText } from '#src/channels/smpp/charset.js';
import { decodePdu } from '#src/channels/smpp/codec.js';
import { createPduFramer } from '#src/channels/smpp/framing.js';
import { readInbound } from '#src/channels/smpp/long-message.js';
import { createPduOutbox } from '#src/channels/smpp/outbox.js';
import { type MalformedPdu, type Pdu, type PduOf, STATUS } from '#src/channels/smpp/pdu.js';
import type { SmppOptions } from '../options.js';
import type { CentreEvents, CentreSession } from '../protocol.js';
import type { SmppDelivery, SmppSubmitted } from './deliveries.js';

type Session = CentreSession<SmppSubmitted, SmppDelivery>;

export function serveClient(
  socket: Socket,
  options: SmppOptions,
  random: () => number,
  events: CentreEvents<SmppSubmitted, SmppDelivery>,
): Session {
  const framer = createPduFramer();
  const window = createWindow<SmppDelivery>();
  let account: string | undefined;
  let canSend = false;
  let canReceive = false;
  let isOpen = true;
  const outbox = createPduOutbox((octets) => {
    if (isOpen) socket.write(octets);
  });

  const session: Session = {
    get account() {
      return account;
    },
    canDeliver: () => isOpen && canReceive && window.inFlight < options.deliverWindow,
    deliver(delivery) {
      const sequence = window.nextSequence();
      window.add(sequence, delivery, 0);
      outbox.send('deliver_sm', STATUS.ESME_ROK, sequence, delivery.body, delivery.tlvs);
    },
    answer({ sequence }, answer, messageId) {
      if (isOpen) outbox.send('submit_sm_resp', statusOf(answer), sequence, { message_id: messageId });
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
    for (const { ticket } of window.clear()) events.onReturned(ticket, 'lost');
  }

  function handleBind(pdu: PduOf<'bind_receiver' | 'bind_transmitter' | 'bind_transceiver'>): void {
    const answer = `${pdu.command}_resp` as const;
    const status = account === undefined ? authenticate(pdu.body) : STATUS.ESME_RALYBND;
    outbox.send(answer, status, pdu.sequence, { system_id: 'postrider-smsc' });
    if (status !== STATUS.ESME_ROK) return;
    account = pdu.body.system_id;
    canSend = pdu.command !== 'bind_receiver';
    canReceive = pdu.command !== 'bind_transmitter';
    events.onBound(session);
  }

  function authenticate({ system_id: systemId, password }: { system_id: string; password: string }): number {
    if (options.systemId === '') return STATUS.ESME_ROK;
    if (systemId !== options.systemId) return STATUS.ESME_RINVSYSID;
    return password === options.password ? STATUS.ESME_ROK : STATUS.ESME_RINVPASWD;
  }

  function statusOf(answer: 'accept' | 'refuse' | 'throttle'): number {
    if (answer === 'accept') return STATUS.ESME_ROK;
    if (answer === 'refuse') return STATUS.ESME_RSUBMITFAIL;
    return random() < 0.5 ? STATUS.ESME_RTHROTTLED : STATUS.ESME_RMSGQFUL;
  }

  function handleSubmit({ sequence, body, tlvs }: PduOf<'submit_sm'>): void {
    const { octets, headerBytes, segment } = readInbound(body.esm_class, body.short_message, tlvs);
    const submitted: SmppSubmitted = {
      sequence,
      to: body.destination_addr,
      from: body.source_addr,
      source: { ton: body.source_addr_ton, npi: body.source_addr_npi },
      destination: { ton: body.dest_addr_ton, npi: body.dest_addr_npi },
      segment,
      isReportWanted: (body.registered_delivery & 0x03) !== 0,
      userReference: tlvs.user_message_reference,
    };
    events.onSubmit(session, submitted, () => decodeText(octets, body.data_coding, 'gsm0338', headerBytes));
  }

  function handleDeliverAnswer(pdu: PduOf<'deliver_sm_resp'> | PduOf<'generic_nack'>): void {
    const request = window.settle(pdu.sequence);
    if (request === undefined) return;
    if (pdu.status === STATUS.ESME_ROK) events.onAcknowledged(request.ticket);
    else events.onReturned(request.ticket, 'refused');
  }

  function handle(pdu: Pdu | MalformedPdu): void {
    switch (pdu.command) {
      case 'submit_sm':
        if (canSend) handleSubmit(pdu);
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
