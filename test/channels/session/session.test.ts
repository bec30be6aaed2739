// What the session machinery does for protocols unlike SMPP: a header of another length, a connection that the peer opens, and
// no answer that refuses a message. The protocol here is a toy: a header of 20 octets, the rest is text.
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createFramer } from '../../../src/channels/session/framing.js';
import type { Outbox } from '../../../src/channels/session/outbox.js';
import type { Acknowledgement, PduRole, SessionProtocol } from '../../../src/channels/session/protocol.js';
import { openSession, type Session } from '../../../src/channels/session/session.js';

const HEADER_BYTES = 20;
const COMMANDS: Readonly<Record<number, PduRole>> = { 1: 'login', 2: 'logout', 5: 'message' };

interface ToyPdu {
  readonly command: number;
  readonly sequence: number;
  readonly text: string;
}

function encode(slab: Buffer, at: number, command: number, sequence: number, text = ''): number {
  const end = at + HEADER_BYTES + Buffer.byteLength(text);
  slab.fill(0, at, end);
  slab.writeUInt32BE(end - at, at);
  slab.writeUInt32BE(command, at + 4);
  slab.writeUInt32BE(sequence, at + 16);
  slab.write(text, at + HEADER_BYTES);
  return end;
}

const decode = (frame: Buffer): ToyPdu => ({
  command: frame.readUInt32BE(4),
  sequence: frame.readUInt32BE(16),
  text: frame.toString('utf8', HEADER_BYTES),
});

const protocol: SessionProtocol<ToyPdu, string> = {
  loginName: 'login',
  headerBytes: HEADER_BYTES,
  maxFrameBytes: 4_096,
  decode,
  roleOf: ({ command }) => COMMANDS[command] ?? 'refused',
  sequenceOf: ({ sequence }) => sequence,
  findLoginRefusal: () => undefined,
  createWriter(outbox: Outbox) {
    const send = (command: number, sequence: number, text?: string) =>
      outbox.add(1_024, (slab, at) => encode(slab, at, command, sequence, text));
    return {
      login: (sequence) => send(1, sequence),
      submit: (sequence, text) => send(3, sequence, text),
      logout: (sequence) => send(2, sequence),
      answerKeepalive() {},
      answerLogout: ({ sequence }) => send(0x80000002, sequence),
      answerLogin: ({ sequence }, refusal) => send(0x80000001, sequence, refusal),
      answerMessage({ sequence }, acknowledgement) {
        if (acknowledgement !== 'stored') return false;
        send(0x80000005, sequence);
        return true;
      },
    };
  },
};

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Accepted {
  readonly peer: Socket;
  /** Our side of the connection. */
  readonly ours: () => { readonly socket: Socket; readonly session: Session<never, string> } | undefined;
  /** What our side answered, as `command text`. */
  readonly answers: string[];
  readonly inbound: string[];
  readonly closed: Promise<string>;
  send(command: number, sequence: number, text?: string): void;
}

/** A connection that the peer opened, served by a session of ours. */
async function accept(acknowledgement: Acknowledgement): Promise<Accepted> {
  const inbound: string[] = [];
  let session: Session<never, string> | undefined;
  let onClosed: (reason: string) => void = () => {};
  const closed = new Promise<string>((resolve) => {
    onClosed = resolve;
  });
  let ours: Accepted['ours'] = () => undefined;
  const server: Server = createServer((socket) => {
    ours = () => session && { socket, session };
    session = openSession<never, ToyPdu, string>(
      {
        protocol,
        connect: () => socket,
        connectEvent: undefined,
        admit: ({ text }) => (text === 'right' ? undefined : 'wrong password'),
        window: 1,
        keepaliveMs: undefined,
        responseTimeoutMs: 1_000,
        connectTimeoutMs: 1_000,
        clock: () => performance.now(),
      },
      {
        onReady() {},
        onAnswer() {},
        onLateAnswer() {},
        onUnknown() {},
        onRefused() {},
        onInbound(pdu, respond) {
          inbound.push(pdu.text);
          respond(acknowledgement);
        },
        onClosed,
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  const address = server.address();
  const peer = connect(typeof address === 'object' && address !== null ? address.port : 0, '127.0.0.1');
  cleanups.push(
    () => peer.destroy(),
    () => session?.destroy('the test is over'),
  );
  const answers: string[] = [];
  const framer = createFramer(HEADER_BYTES, 4_096);
  peer.on('data', (chunk) =>
    framer.push(chunk, (frame) => {
      const { command, text } = decode(frame);
      answers.push(`${command.toString(16)} ${text}`.trim());
    }),
  );
  const send = (command: number, sequence: number, text?: string) => {
    const slab = Buffer.alloc(1_024);
    peer.write(slab.subarray(0, encode(slab, 0, command, sequence, text)));
  };
  return { peer, ours: () => ours(), answers, inbound, closed, send };
}

const until = (condition: () => boolean) => expect.poll(condition, { timeout: 60_000, interval: 5 }).toBe(true);

it('a peer that logs in on its own connection delivers messages, and its logout is answered', async () => {
  const { answers, inbound, closed, send } = await accept('stored');
  send(5, 1, 'too early');
  send(1, 2, 'right');
  send(5, 3, 'hello');
  send(2, 4);
  expect(await closed).toBe('the peer unbound');
  await until(() => answers.length === 3);
  expect(answers).toEqual(['80000001', '80000005', '80000002']);
  expect(inbound).toEqual(['hello']);
});

it('a peer with the wrong password is refused and disconnected', async () => {
  const { answers, inbound, closed, send } = await accept('stored');
  send(1, 1, 'guess');
  send(5, 2, 'hello');
  expect(await closed).toBe('login refused: wrong password');
  await until(() => answers.length === 1);
  expect([answers, inbound]).toEqual([['80000001 wrong password'], []]);
});

it('where a protocol has no refusal, messages that cannot be stored end the session instead of filling the peer’s window', async () => {
  const { answers, inbound, closed, send } = await accept('again');
  send(1, 1, 'right');
  await until(() => answers.length === 1);
  for (let sequence = 2; sequence < 40; sequence += 1) send(5, sequence, 'hello');
  expect(await closed).toBe('messages of the peer could not be stored');
  expect(answers).toEqual(['80000001']);
  expect(inbound).toHaveLength(16);
});

it('a frame that is shorter than the header of the protocol ends the session', async () => {
  const { peer, closed } = await accept('stored');
  peer.write(Buffer.from([0, 0, 0, 16, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]));
  expect(await closed).toBe('the peer sent a frame of impossible length');
});

it('reads as closed by the peer where it was, even when a write crosses the close, and submits nothing after it', async () => {
  const { peer, ours, answers, closed, send } = await accept('stored');
  send(1, 1, 'right');
  await until(() => answers.length === 1);
  const { socket, session } = ours() ?? {};
  const couldSubmit: (boolean | undefined)[] = [];
  socket?.prependOnceListener('end', () => {
    couldSubmit.push(session?.canSubmit());
    socket.end();
    socket.write('This write fails.');
  });
  socket?.once('end', () => couldSubmit.push(session?.canSubmit()));
  peer.end();
  expect(await closed).toBe('the peer closed the connection');
  expect(couldSubmit).toEqual([true, false]);
});
