// A CMPP gateway that does exactly what a test tells it, PDU by PDU.

import { createServer, type Socket } from 'node:net';
import type { Channel, Feedback, Part, SubmitOutcome } from '../../../src/channels/channel.js';
import { checkConfig } from '../../../src/channels/check-config.js';
import { MAX_FRAME_BYTES, type MalformedPdu } from '../../../src/channels/china/fields.js';
import type { GatewayTiming } from '../../../src/channels/china/gateway-channel.js';
import { hashLoginAnswer } from '../../../src/channels/china/login-hash.js';
import { openCmppChannel } from '../../../src/channels/cmpp/cmpp-channel.js';
import { decodePdu, encodePdu } from '../../../src/channels/cmpp/codec.js';
import { type CmppConfig, CmppConfigSchema } from '../../../src/channels/cmpp/config.js';
import {
  type Body,
  type CmppVersion,
  type Command,
  type Pdu,
  type PduOf,
  VERSION_OCTETS,
} from '../../../src/channels/cmpp/pdu.js';
import { createReport } from '../../../src/channels/cmpp/report.js';
import type { DriverDeps } from '../../../src/channels/driver.js';
import { NOTHING_ALLOWED } from '../../../src/domain/access/public-address.js';
import { createAddressGuard } from '../../../src/outbound/address-guard.js';

export const SECRET = 'secret';

export interface PeerConnection {
  readonly socket: Socket;
  readonly received: (Pdu | MalformedPdu<number>)[];
  readonly isClosed: boolean;
  /** The PDUs of one command, in the order they came. */
  all<C extends Command>(command: C): PduOf<C>[];
  send<C extends Command>(command: C, sequence: number, body?: Body<NoInfer<C>>): void;
  write(octets: Buffer): void;
  /** Sends a Deliver with only the fields that matter to the test. */
  deliver(sequence: number, body: Partial<Body<'deliver'>>): void;
  report(sequence: number, messageId: string, over?: { stat?: string; outerId?: string; handset?: string }): void;
}

/** Returns true when it has dealt with the PDU; otherwise the peer does what a decent one would. Submits are the test's. */
export type PeerScript = (pdu: Pdu | MalformedPdu<number>, connection: PeerConnection) => boolean | undefined;

export interface Peer {
  readonly port: number;
  readonly connections: PeerConnection[];
  /** The latest connection that is open. */
  current(): PeerConnection;
  submits(): PduOf<'submit'>[];
  stop(): Promise<void>;
}

const EMPTY_DELIVER: Body<'deliver'> = {
  msg_id: '00000000000000aa',
  dest_id: '10690001',
  service_id: '',
  tp_pid: 0,
  tp_udhi: 0,
  msg_fmt: 0,
  src_terminal_id: '13800138000',
  src_terminal_type: 0,
  registered_delivery: 0,
  msg_content: Buffer.alloc(0),
  reserve: '',
  link_id: '',
};

export async function startPeer(script: PeerScript = () => false, version: CmppVersion = '2.0'): Promise<Peer> {
  const connections: PeerConnection[] = [];
  const server = createServer(serve);

  function serve(socket: Socket): void {
    const received: (Pdu | MalformedPdu<number>)[] = [];
    let isClosed = false;
    let pending = Buffer.alloc(0);
    const connection: PeerConnection = {
      socket,
      received,
      get isClosed() {
        return isClosed;
      },
      all: <C extends Command>(command: C) =>
        received.filter((pdu) => pdu.command === command) as unknown as PduOf<C>[],
      send(command, sequence, body) {
        const target = Buffer.alloc(MAX_FRAME_BYTES);
        connection.write(target.subarray(0, encodePdu(target, 0, version, command, sequence, body)));
      },
      write(octets) {
        if (!isClosed) socket.write(octets);
      },
      deliver: (sequence, body) => connection.send('deliver', sequence, { ...EMPTY_DELIVER, ...body }),
      report(sequence, messageId, { stat = 'DELIVRD', outerId = '00000000000000bb', handset = '13800138000' } = {}) {
        const times = { submit_time: '2510210805', done_time: '2510210806', smsc_sequence: 7 };
        const report = { msg_id: messageId, stat, ...times, dest_terminal_id: handset };
        const msg_content = createReport(version, report);
        connection.deliver(sequence, { msg_id: outerId, registered_delivery: 1, msg_content });
      },
    };
    connections.push(connection);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      isClosed = true;
    });
    socket.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 4 && pending.length >= pending.readUInt32BE(0)) {
        const frame = pending.subarray(0, pending.readUInt32BE(0));
        pending = pending.subarray(frame.length);
        const pdu = decodePdu(frame, version);
        received.push(pdu);
        if (script(pdu, connection) !== true) behave(pdu, connection, version);
      }
    });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the peer has no port');
  return {
    port: address.port,
    connections,
    current() {
      const open = connections.filter((each) => !each.isClosed && each.received.length > 0).at(-1);
      if (open === undefined) throw new Error('no client is connected');
      return open;
    },
    submits: () => connections.flatMap((each) => each.all('submit')),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const { socket } of connections) socket.destroy();
      }),
  };
}

function behave(pdu: Pdu | MalformedPdu<number>, { send, socket }: PeerConnection, version: CmppVersion): void {
  switch (pdu.command) {
    case 'connect': {
      const authenticator_ismg = hashLoginAnswer(0, version === '2.0' ? 1 : 4, pdu.body.authenticator_source, SECRET);
      send('connect_resp', pdu.sequence, { status: 0, authenticator_ismg, version: VERSION_OCTETS[version] });
      return;
    }
    case 'active_test':
      send('active_test_resp', pdu.sequence, { reserved: '' });
      return;
    case 'terminate':
      send('terminate_resp', pdu.sequence);
      socket.end();
      return;
    default:
  }
}

/** The id that `acceptAll` gives to the Submit of a sequence number: beyond what a double holds. */
export const idOf = (sequence: number): string => `aaa0528003e9${sequence.toString(16).padStart(4, '0').slice(-4)}`;

/** A script that accepts every Submit. */
export const acceptAll: PeerScript = (pdu, { send }) => {
  if (pdu.command !== 'submit') return false;
  send('submit_resp', pdu.sequence, { msg_id: idOf(pdu.sequence), result: 0 });
  return true;
};

export const silentLog: DriverDeps['log'] = { info() {}, warn() {}, error() {}, child: () => silentLog };

export const deps: DriverDeps = {
  log: silentLog,
  clock: () => performance.now(),
  now: Date.now,
  random: Math.random,
  meter: () => () => {},
  guard: createAddressGuard(NOTHING_ALLOWED),
};

export function createConfig(port: number, over: Partial<CmppConfig> = {}): CmppConfig {
  const input = { host: '127.0.0.1', port, account: '900001', password: SECRET, ...over };
  const checked = checkConfig(CmppConfigSchema, input);
  if (checked.faults !== undefined) throw new Error(JSON.stringify(checked.faults));
  return checked.config;
}

export const QUICK: Partial<GatewayTiming> = { reconnectMinMs: 5, reconnectMaxMs: 50, unsentAfterMs: 100 };

export interface OpenedChannel {
  readonly channel: Channel;
  readonly feedback: Feedback[];
}

/** Opens a channel and waits until it can carry a part. Feedback is kept, and acknowledged only by the test. */
export async function openChannel(
  port: number,
  over: Partial<CmppConfig> = {},
  timing: Partial<GatewayTiming> = {},
  options: Partial<DriverDeps> = {},
): Promise<OpenedChannel> {
  const channel = openCmppChannel(createConfig(port, over), { ...deps, ...options }, { ...QUICK, ...timing });
  const feedback: Feedback[] = [];
  channel.onFeedback((each) => feedback.push(each));
  await waitFor(() => channel.health().state === 'up');
  return { channel, feedback };
}

export function createPart(over: Partial<Part> = {}): Part {
  return {
    reference: 'r1',
    to: '8613800138000',
    from: '10690001',
    text: 'hello',
    encoding: 'ascii',
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

export async function submitAll(channel: Channel, parts: readonly Part[]): Promise<SubmitOutcome[]> {
  const all: SubmitOutcome[] = [];
  for await (const outcome of channel.submit(parts, new AbortController().signal)) all.push(outcome);
  return all;
}

/** Waits until a condition holds; one that never does is named. */
export async function waitFor(condition: () => boolean, limitMs = 30_000): Promise<void> {
  const start = performance.now();
  while (!condition()) {
    if (performance.now() - start > limitMs) throw new Error(`never came true: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Warnings of a channel, as they are logged. */
export function keepLog() {
  const entries: { fields: Record<string, unknown>; message: string }[] = [];
  const keep = (fields: object, message: string) => entries.push({ fields: { ...fields }, message });
  return { entries, log: { ...silentLog, warn: keep, error: keep } };
}
