// The centre's own connection to a client: it logs in, carries reports and replies within a window, and is opened again when
// it ends.
import { connect } from 'node:net';
import { MAX_FRAME_BYTES, type MalformedPdu } from '#src/channels/china/fields.js';
import { createFramer } from '#src/channels/session/framing.js';
import { createOutbox } from '#src/channels/session/outbox.js';
import { createWindow } from '#src/channels/session/window.js';
import { decodePdu, encodePdu, HEADER_BYTES } from '#src/channels/sgip/codec.js';
import { type Body, type Command, LOGIN_TYPE, type Pdu } from '#src/channels/sgip/pdu.js';
import type { SgipSequence } from '#src/channels/sgip/sequence.js';
import type { SgipOptions } from '../options.js';
import type { CentreEvents, CentreSession } from '../protocol.js';
import type { SgipDelivery, SgipSubmitted } from './deliveries.js';

const RECONNECT_MS = 100;

export interface ClientLogin {
  readonly account: string;
  readonly password: string;
}

export interface Deliverer {
  cut(): void;
  unbind(): void;
  sendGarbage(octets: Buffer): void;
  stop(): void;
}

export interface DelivererOptions {
  readonly host: string;
  /** What the client logged in with. */
  readonly login: ClientLogin;
  readonly options: SgipOptions;
  readonly createSequence: () => SgipSequence;
  readonly events: CentreEvents<SgipSubmitted, SgipDelivery>;
}

/** Keeps one connection up. */
export function keepDeliverer(setup: DelivererOptions): Deliverer {
  let retry: NodeJS.Timeout | undefined;
  let isStopped = false;
  let connection = open();

  function open(): Deliverer {
    return openConnection(setup, () => {
      if (isStopped) return;
      retry = setTimeout(() => {
        connection = open();
      }, RECONNECT_MS);
    });
  }

  return {
    cut: () => connection.cut(),
    unbind: () => connection.unbind(),
    sendGarbage: (octets) => connection.sendGarbage(octets),
    stop() {
      isStopped = true;
      clearTimeout(retry);
      connection.stop();
    },
  };
}

function openConnection(
  { host, login, options, createSequence, events }: DelivererOptions,
  onEnd: () => void,
): Deliverer {
  const { clientPort: port, redeliverMs } = options;
  const framer = createFramer(HEADER_BYTES, MAX_FRAME_BYTES);
  /** By the counter of the sequence number. */
  const window = createWindow<SgipDelivery>();
  const socket = connect({ host, port, noDelay: true });
  let isBound = false;
  let isOpen = true;
  const outbox = createOutbox((octets) => {
    if (isOpen) socket.write(octets);
  });
  const redeliver = setInterval(returnUnanswered, Math.max(20, redeliverMs / 4));

  const session: CentreSession<SgipSubmitted, SgipDelivery> = {
    get account() {
      return isBound ? login.account : undefined;
    },
    canDeliver: () => isOpen && isBound && window.inFlight < options.deliverWindow,
    deliver(delivery) {
      window.add(delivery.sequence.counter, delivery, performance.now());
      if (delivery.command === 'report') send('report', delivery.sequence, delivery.body);
      else send('deliver', delivery.sequence, delivery.body);
    },
    // Submits come on the client's connections.
    answer() {},
    cut: () => socket.destroy(),
    unbind() {
      if (!isBound) return;
      isBound = false;
      send('unbind', createSequence());
    },
    sendGarbage(octets) {
      outbox.flush();
      if (isOpen && isBound) socket.write(octets);
    },
  };

  function send<C extends Command>(command: C, sequence: SgipSequence, body?: Body<NoInfer<C>>): void {
    outbox.add(MAX_FRAME_BYTES, (target, offset) => encodePdu(target, offset, command, sequence, body));
  }

  /** A client that cannot store a message does not answer it. */
  function returnUnanswered(): void {
    for (const { ticket } of window.expire(performance.now() - redeliverMs)) events.onReturned(ticket, 'unanswered');
  }

  function handle(pdu: Pdu | MalformedPdu<SgipSequence>): void {
    switch (pdu.command) {
      case 'bind_resp':
        if (pdu.body.result !== 0) {
          socket.destroy();
          return;
        }
        isBound = true;
        events.onBound(session);
        return;
      case 'report_resp':
      case 'deliver_resp': {
        const request = window.settle(pdu.sequence.counter);
        if (request === undefined) return;
        if (pdu.body.result === 0) events.onAcknowledged(request.ticket);
        else events.onReturned(request.ticket, 'refused');
        return;
      }
      case 'unbind':
        send('unbind_resp', pdu.sequence);
        outbox.flush();
        socket.end();
        return;
      case 'unbind_resp':
        socket.end();
        return;
      default:
        events.onMalformed();
    }
  }

  socket.once('connect', () =>
    send('bind', createSequence(), {
      login_type: LOGIN_TYPE.fromGateway,
      login_name: options.clientAccount || login.account,
      login_password: options.clientPassword || login.password,
      reserve: '',
    }),
  );
  socket.on('data', (chunk: Buffer) => {
    framer.push(chunk, (frame) => {
      if (isOpen) handle(decodePdu(frame));
    });
    if (isOpen && isBound) events.onRoom(session);
  });
  socket.on('error', () => socket.destroy());
  socket.once('close', () => {
    isOpen = false;
    isBound = false;
    clearInterval(redeliver);
    events.onClosed(session);
    for (const { ticket } of window.clear()) events.onReturned(ticket, 'lost');
    onEnd();
  });
  return { cut: session.cut, unbind: session.unbind, sendGarbage: session.sendGarbage, stop: session.cut };
}
