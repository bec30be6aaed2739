// A message centre that does exactly what a test tells it, PDU by PDU.
import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Channel, Feedback, Part, SubmitOutcome } from '../../../src/channels/channel.js';
import { checkConfig } from '../../../src/channels/check-config.js';
import { cleanChannel } from '../../../src/channels/clean-channel.js';
import { decodePdu } from '../../../src/channels/smpp/codec.js';
import { checkPauses, type SmppConfig, SmppConfigSchema } from '../../../src/channels/smpp/config.js';
import { createPduFramer } from '../../../src/channels/smpp/framing.js';
import { createPduOutbox, type PduOutbox } from '../../../src/channels/smpp/outbox.js';
import {
  type Body,
  EMPTY_MESSAGE,
  type MalformedPdu,
  type Pdu,
  type PduOf,
  type Tlvs,
} from '../../../src/channels/smpp/pdu.js';
import { openSmppChannel, type SmppChannelOptions } from '../../../src/channels/smpp/smpp-channel.js';

export interface PeerConnection {
  readonly socket: Socket;
  readonly received: (Pdu | MalformedPdu)[];
  readonly isClosed: boolean;
  /** The PDUs of one command, in the order they came. */
  all<C extends Pdu['command']>(command: C): PduOf<C>[];
  send: PduOutbox['send'];
  /** Sends a deliver_sm with only the fields that matter to the test. */
  deliver(sequence: number, body: Partial<Body<'deliver_sm'>>, tlvs?: Tlvs): void;
}

/** Returns true when it has dealt with the PDU; otherwise the peer does what a decent one would. Submits are the test's. */
export type PeerScript = (pdu: Pdu | MalformedPdu, connection: PeerConnection) => boolean | undefined;

export interface Peer {
  readonly port: number;
  readonly connections: PeerConnection[];
  /** The latest connection that is bound. */
  current(): PeerConnection;
  submits(): PduOf<'submit_sm'>[];
  stop(): Promise<void>;
}

export async function startPeer(script: PeerScript = () => false, tls?: { key: string; cert: string }): Promise<Peer> {
  const connections: PeerConnection[] = [];
  const server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);

  function serve(socket: Socket): void {
    const framer = createPduFramer();
    const received: (Pdu | MalformedPdu)[] = [];
    let isClosed = false;
    const outbox = createPduOutbox((octets) => {
      if (!isClosed) socket.write(octets);
    });
    const connection: PeerConnection = {
      socket,
      received,
      get isClosed() {
        return isClosed;
      },
      all: <C extends Pdu['command']>(command: C) =>
        received.filter((pdu) => pdu.command === command) as unknown as PduOf<C>[],
      send: outbox.send,
      deliver(sequence, body, tlvs) {
        outbox.send('deliver_sm', 0, sequence, { ...EMPTY_MESSAGE, ...body }, tlvs);
      },
    };
    connections.push(connection);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      isClosed = true;
    });
    socket.on('data', (chunk: Buffer) => {
      framer.push(Buffer.from(chunk), (frame) => {
        const pdu = decodePdu(frame);
        received.push(pdu);
        if (script(pdu, connection) !== true) behave(pdu, connection);
      });
    });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the peer has no port');
  return {
    port: address.port,
    connections,
    current() {
      const bound = connections.filter((each) => !each.isClosed && each.received.length > 0).at(-1);
      if (bound === undefined) throw new Error('nobody is connected');
      return bound;
    },
    submits: () => connections.flatMap((each) => each.all('submit_sm')),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const { socket } of connections) socket.destroy();
      }),
  };
}

function behave(pdu: Pdu | MalformedPdu, { send, socket }: PeerConnection): void {
  switch (pdu.command) {
    case 'bind_receiver':
    case 'bind_transmitter':
    case 'bind_transceiver':
      send(`${pdu.command}_resp`, 0, pdu.sequence, { system_id: 'peer' });
      return;
    case 'enquire_link':
      send('enquire_link_resp', 0, pdu.sequence);
      return;
    case 'unbind':
      send('unbind_resp', 0, pdu.sequence);
      process.nextTick(() => socket.end());
      return;
    default:
  }
}

/** A script that accepts every submit under the id `m` and its sequence number. */
export const acceptAll: PeerScript = (pdu, { send }) => {
  if (pdu.command !== 'submit_sm') return false;
  send('submit_sm_resp', 0, pdu.sequence, { message_id: `m${pdu.sequence}` });
  return true;
};

export const silentLog: SmppChannelOptions['log'] = { info() {}, warn() {}, error() {}, child: () => silentLog };

export function createConfig(port: number, over: Partial<SmppConfig> = {}): SmppConfig {
  const input = {
    host: '127.0.0.1',
    port,
    system_id: 'test',
    password: 'secret',
    reconnect_min_ms: 5,
    reconnect_max_ms: 50,
    unsent_after_ms: 100,
    ...over,
  };
  const parsed = checkConfig(SmppConfigSchema, input, checkPauses);
  if (parsed.faults !== undefined) throw new Error(JSON.stringify(parsed.faults));
  return parsed.config;
}

const baseOptions = { log: silentLog, clock: () => performance.now(), now: Date.now, random: Math.random };

export interface OpenedChannel {
  readonly channel: Channel;
  readonly feedback: Feedback[];
}

/** Opens a channel and waits until it can carry a part. Feedback is kept, and acknowledged only by the test. */
export async function openChannel(
  port: number,
  over: Partial<SmppConfig> = {},
  options: Partial<SmppChannelOptions> = {},
): Promise<OpenedChannel> {
  const { log = silentLog } = options;
  const channel = cleanChannel(openSmppChannel(createConfig(port, over), { ...baseOptions, ...options }), log);
  const feedback: Feedback[] = [];
  channel.onFeedback((each) => feedback.push(each));
  await waitFor(() => channel.health().state === 'up');
  return { channel, feedback };
}

export function createPart(over: Partial<Part> = {}): Part {
  return {
    reference: 'r1',
    to: '8613800138000',
    from: 'Postrider',
    text: 'hello',
    encoding: 'gsm7',
    part: 1,
    parts: 1,
    ...over,
  };
}

export function createParts(count: number, over: Partial<Part> = {}): Part[] {
  return Array.from({ length: count }, (_, index) =>
    createPart({ reference: `r${index}`, to: String(8613800138000 + index), ...over }),
  );
}

export async function collect(outcomes: AsyncIterable<SubmitOutcome>): Promise<SubmitOutcome[]> {
  const all: SubmitOutcome[] = [];
  for await (const outcome of outcomes) all.push(outcome);
  return all;
}

export async function submitAll(channel: Channel, parts: readonly Part[]): Promise<SubmitOutcome[]> {
  return collect(channel.submit(parts, new AbortController().signal));
}

/** Waits until a condition holds; a test that waits in vain fails by its own time limit and names the condition. */
export async function waitFor(condition: () => boolean, limitMs = 45_000): Promise<void> {
  const start = performance.now();
  while (!condition()) {
    if (performance.now() - start > limitMs) throw new Error(`never came true: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
