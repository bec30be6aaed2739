// A DNS server on the loopback: answers A queries for the names that it knows, says that others do not exist, and leaves those
// that a test wants silent without an answer.

import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

export interface NameServer {
  /** As `dns.setServers` takes it. */
  readonly address: string;
  /** Names in the order of their queries, one for each question for an IPv4 address. */
  readonly asked: string[];
  stop(): Promise<void>;
}

const TYPE_A = 1;

export async function startNameServer(options: {
  readonly names?: Readonly<Record<string, string>>;
  readonly isSilent?: (name: string) => boolean;
}): Promise<NameServer> {
  const { names = {}, isSilent = () => false } = options;
  const asked: string[] = [];
  const socket: Socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, end } = readName(query);
    const type = query.readUInt16BE(end);
    if (type === TYPE_A) asked.push(name);
    if (isSilent(name)) return;
    socket.send(
      answerQuery(query, end + 4, type === TYPE_A ? names[name] : undefined, name in names),
      from.port,
      from.address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/** The name of the question, and where it ends. */
function readName(query: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

function answerQuery(query: Buffer, questionEnd: number, address: string | undefined, isKnown: boolean): Buffer {
  const head = Buffer.from(query.subarray(0, questionEnd));
  head.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2);
  head.writeUInt16BE(address === undefined ? 0 : 1, 6);
  head.writeUInt16BE(0, 8);
  head.writeUInt16BE(0, 10);
  if (address === undefined) return head;
  const record = Buffer.from([0xc0, 12, 0, TYPE_A, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)]);
  return Buffer.concat([head, record]);
}
