// One connection of a client to the SGIP message centre: checks its login and answers its Submits. What the centre has for the
// client goes over a connection of its own.
import type { Socket } from 'node:net';
import { MAX_FRAME_BYTES, type MalformedPdu } from '#src/channels/china/fields.js';
import { splitHeader } from '#src/channels/china/long-text.js';
import { normaliseHandset } from '#src/channels/china/numbers.js';
import { decodeText } from '#src/channels/china/text-format.js';
import { createFramer } from '#src/channels/session/framing.js';
import { createOutbox } from '#src/channels/session/outbox.js';
import { decodePdu, encodePdu, HEADER_BYTES } from '#src/channels/sgip/codec.js';
import { type Body, type Command, LOGIN_TYPE, type Pdu, type PduOf } from '#src/channels/sgip/pdu.js';
import { createSequence, type SgipSequence } from '#src/channels/sgip/sequence.js';
import type { SgipOptions } from '../options.js';
import type { CentreEvents, CentreSession } from '../protocol.js';
import type { ClientLogin, Deliverer } from './deliverer.js';
import type { SgipDelivery, SgipSubmitted } from './deliveries.js';

type Session = CentreSession<SgipSubmitted, SgipDelivery>;

const RESULTS = { accept: 0, refuse: 29, throttle: 11 } as const;
const LOGIN = { ok: 0, bad: 1, twice: 2, type: 4 } as const;
const BAD_NUMBER = 6;

export function serveClient(
  socket: Socket,
  options: SgipOptions,
  events: CentreEvents<SgipSubmitted, SgipDelivery>,
  openDeliverer: (login: ClientLogin) => Deliverer,
): Session {
  const framer = createFramer(HEADER_BYTES, MAX_FRAME_BYTES);
  let account: string | undefined;
  let deliverer: Deliverer | undefined;
  let isOpen = true;
  const outbox = createOutbox((octets) => {
    if (isOpen) socket.write(octets);
  });

  const session: Session = {
    get account() {
      return account;
    },
    canDeliver: () => false,
    deliver() {},
    answer: ({ sequence }, answer) => answerSubmit(sequence, RESULTS[answer]),
    cut() {
      close();
      socket.destroy();
      deliverer?.cut();
    },
    unbind() {
      send('unbind', createSequence(1, Date.now(), 1));
      deliverer?.unbind();
    },
    sendGarbage(octets) {
      outbox.flush();
      if (isOpen) socket.write(octets);
      deliverer?.sendGarbage(octets);
    },
  };

  function send<C extends Command>(command: C, sequence: SgipSequence, body?: Body<NoInfer<C>>): void {
    outbox.add(MAX_FRAME_BYTES, (target, offset) => encodePdu(target, offset, command, sequence, body));
  }

  function answerSubmit(sequence: SgipSequence, result: number): void {
    // With the time of the answer in the middle, as some gateways do.
    if (isOpen)
      send('submit_resp', createSequence(sequence.node, Date.now(), sequence.counter), { result, reserve: '' });
  }

  function close(): void {
    if (!isOpen) return;
    isOpen = false;
    events.onClosed(session);
  }

  function handleBind({ sequence, body }: PduOf<'bind'>): void {
    const result = account === undefined ? checkLogin(body) : LOGIN.twice;
    send('bind_resp', sequence, { result, reserve: '' });
    if (result !== LOGIN.ok) {
      outbox.flush();
      socket.end();
      return;
    }
    account = body.login_name;
    deliverer = openDeliverer({ account, password: body.login_password });
    events.onBound(session);
  }

  function checkLogin({ login_type, login_name, login_password }: Body<'bind'>): number {
    if (login_type !== LOGIN_TYPE.toGateway) return LOGIN.type;
    if (options.systemId === '') return LOGIN.ok;
    return login_name === options.systemId && login_password === options.password ? LOGIN.ok : LOGIN.bad;
  }

  function handleSubmit({ sequence, body }: PduOf<'submit'>): void {
    const handset = body.user_numbers[0] ?? '';
    if (!handset.startsWith('86')) {
      answerSubmit(sequence, BAD_NUMBER);
      return;
    }
    const { octets, segment } = splitHeader(body.tp_udhi, body.message_content);
    const submitted: SgipSubmitted = {
      sequence,
      handset,
      to: normaliseHandset(handset) ?? handset,
      from: body.sp_number,
      segment,
      isReportWanted: body.report_flag === 1,
    };
    events.onSubmit(session, submitted, () => decodeText(octets, body.message_coding));
  }

  function handle(pdu: Pdu | MalformedPdu<SgipSequence>): void {
    if (account === undefined && pdu.command !== 'bind') {
      events.onMalformed();
      socket.destroySoon();
      return;
    }
    switch (pdu.command) {
      case 'bind':
        handleBind(pdu);
        return;
      case 'submit':
        handleSubmit(pdu);
        return;
      case 'unbind':
        send('unbind_resp', pdu.sequence);
        outbox.flush();
        socket.end();
        return;
      case 'unbind_resp':
        return;
      default:
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
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', close);
  return session;
}
