// A scripted SGIP gateway on real sockets: one side that clients connect to, and connections of its own to a client.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Channel, Feedback } from '../../../src/channels/channel.js';
import { checkConfig } from '../../../src/channels/check-config.js';
import { MAX_FRAME_BYTES, type MalformedPdu } from '../../../src/channels/china/fields.js';
import type { DriverDeps } from '../../../src/channels/driver.js';
import { decodePdu, encodePdu } from '../../../src/channels/sgip/codec.js';
import { type SgipConfig, SgipConfigSchema } from '../../../src/channels/sgip/config.js';
import { type Body, type Command, LOGIN_TYPE, type Pdu, type PduOf } from '../../../src/channels/sgip/pdu.js';
import { createSequence, type SgipSequence } from '../../../src/channels/sgip/sequence.js';
import { openSgipChannel, type SgipTiming } from '../../../src/channels/sgip/sgip-channel.js';
import { deps, waitFor } from '../cmpp/peer.js';

type AnyPdu = Pdu | MalformedPdu<SgipSequence>;

/** True: the script has dealt with it. */
export type PeerScript = (pdu: AnyPdu, connection: PeerConnection) => boolean;

export interface PeerConnection {
  readonly socket: Socket;
  readonly received: readonly AnyPdu[];
  readonly isClosed: boolean;
  all<C extends Command>(command: C): PduOf<C>[];
  send<C extends Command>(command: C, sequence: SgipSequence, body?: Body<NoInfer<C>>): void;
  write(octets: Buffer): void;
}

export const NODE = 3_010_090_001;
const OK = { result: 0, reserve: '' };

/** A sequence number of the gateway. */
export const gatewaySequence = (counter: number): SgipSequence => createSequence(101_001, Date.now(), counter);

function attach(socket: Socket, onPdu: (...received: Parameters<PeerScript>) => void): PeerConnection {
  const received: AnyPdu[] = [];
  let isClosed = false;
  let pending = Buffer.alloc(0);
  const connection: PeerConnection = {
    socket,
    received,
    get isClosed() {
      return isClosed;
    },
    all: <C extends Command>(command: C) => received.filter((pdu) => pdu.command === command) as unknown as PduOf<C>[],
    send(command, sequence, body) {
      const target = Buffer.alloc(MAX_FRAME_BYTES);
      connection.write(target.subarray(0, encodePdu(target, 0, command, sequence, body)));
    },
    write(octets) {
      if (!isClosed) socket.write(octets);
    },
  };
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    isClosed = true;
  });
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 4 && pending.length >= pending.readUInt32BE(0)) {
      const frame = pending.subarray(0, pending.readUInt32BE(0));
      pending = pending.subarray(frame.length);
      const pdu = decodePdu(frame);
      received.push(pdu);
      onPdu(pdu, connection);
    }
  });
  return connection;
}

export interface Peer {
  readonly port: number;
  readonly connections: readonly PeerConnection[];
  submits(): PduOf<'submit'>[];
  stop(): Promise<void>;
}

/** Accepts logins and Submits unless the script does something else. */
export async function startPeer(script: PeerScript = () => false): Promise<Peer> {
  const connections: PeerConnection[] = [];
  const server = createServer((socket) => {
    connections.push(
      attach(socket, (pdu, connection) => {
        if (!script(pdu, connection)) behave(pdu, connection);
      }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the peer has no port');
  return {
    port: address.port,
    connections,
    submits: () => connections.flatMap((each) => each.all('submit')),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const { socket } of connections) socket.destroy();
      }),
  };
}

function behave(pdu: AnyPdu, { send, socket }: PeerConnection): void {
  if (pdu.command === 'bind') send('bind_resp', pdu.sequence, OK);
  if (pdu.command === 'submit') send('submit_resp', pdu.sequence, OK);
  if (pdu.command === 'unbind') {
    send('unbind_resp', pdu.sequence);
    socket.end();
  }
}

/** A connection of the gateway to a client, not logged in. */
export async function dial(port: number, localAddress?: string): Promise<PeerConnection> {
  for (;;) {
    const socket = connect({ port, host: '127.0.0.1', ...(localAddress !== undefined && { localAddress }) });
    const connected = once(socket, 'connect').then(
      () => true,
      () => false,
    );
    if (await connected) return attach(socket, () => {});
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The result of the login, or `closed`. */
export async function login(
  connection: PeerConnection,
  name = 'sp90001',
  password = '888888',
  type: number = LOGIN_TYPE.fromGateway,
): Promise<number | 'closed'> {
  const body = { login_type: type, login_name: name, login_password: password, reserve: '' };
  connection.send('bind', gatewaySequence(1), body);
  await waitFor(() => connection.isClosed || connection.all('bind_resp').length > 0);
  return connection.all('bind_resp')[0]?.body.result ?? 'closed';
}

export async function dialIn(port: number): Promise<PeerConnection> {
  const connection = await dial(port);
  if ((await login(connection)) !== 0) throw new Error('the client refused the login');
  return connection;
}

export function sendReport(
  connection: PeerConnection,
  sequence: SgipSequence,
  submit: string,
  over: Partial<Body<'report'>> = {},
): void {
  connection.send('report', sequence, {
    submit_sequence: submit,
    report_type: 0,
    user_number: '8613800138000',
    state: 0,
    error_code: 0,
    reserve: '',
    ...over,
  });
}

export function sendDeliver(
  connection: PeerConnection,
  sequence: SgipSequence,
  content: Buffer | string,
  over: Partial<Body<'deliver'>> = {},
): void {
  connection.send('deliver', sequence, {
    user_number: '8613800138000',
    sp_number: '10690001',
    tp_pid: 0,
    tp_udhi: 0,
    message_coding: 0,
    message_content: Buffer.from(content),
    reserve: '',
    ...over,
  });
}

export async function findFreePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('there is no port');
  return address.port;
}

export function createConfig(port: number, listenPort: number, over: Partial<SgipConfig> = {}): SgipConfig {
  const input = {
    host: '127.0.0.1',
    port,
    account: 'sp90001',
    password: '888888',
    node_id: NODE,
    corp_id: '90001',
    listen_host: '127.0.0.1',
    listen_port: listenPort,
    ...over,
  };
  const checked = checkConfig(SgipConfigSchema, input);
  if (checked.faults !== undefined) throw new Error(JSON.stringify(checked.faults));
  return checked.config;
}

const QUICK: Partial<SgipTiming> = { reconnectMinMs: 5, reconnectMaxMs: 50, unsentAfterMs: 100 };

export interface OpenedChannel {
  readonly channel: Channel;
  readonly feedback: Feedback[];
  readonly listenPort: number;
}

/** Opens a channel and waits until it is up. Feedback is kept, and acknowledged only by the test. */
export async function openChannel(
  port: number,
  over: Partial<SgipConfig> = {},
  timing: Partial<SgipTiming> = {},
  options: Partial<DriverDeps> = {},
): Promise<OpenedChannel> {
  const listenPort = over.listen_port ?? (await findFreePort());
  const channel = openSgipChannel(
    createConfig(port, listenPort, over),
    { ...deps, ...options },
    { ...QUICK, ...timing },
  );
  const feedback: Feedback[] = [];
  channel.onFeedback((each) => feedback.push(each));
  await waitFor(() => channel.health().state === 'up');
  return { channel, feedback, listenPort };
}
