// An SMGP channel on a real socket: what goes out for a part, what an answer means, and what the gateway sends.
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Feedback, SubmitOutcome } from '../../../src/channels/channel.js';
import { MAX_FRAME_BYTES, type MalformedPdu } from '../../../src/channels/china/fields.js';
import { joinHeader, splitHeader } from '../../../src/channels/china/long-text.js';
import { decodeText, encodeUcs2 } from '../../../src/channels/china/text-format.js';
import { decodePdu, encodePdu } from '../../../src/channels/smgp/codec.js';
import type { SmgpConfig } from '../../../src/channels/smgp/config.js';
import { hashClient } from '../../../src/channels/smgp/login.js';
import { type Body, type Command, NO_MESSAGE_ID, type Pdu, type PduOf } from '../../../src/channels/smgp/pdu.js';
import { createReport } from '../../../src/channels/smgp/report.js';
import { openSmgpChannel } from '../../../src/channels/smgp/smgp-channel.js';
import { decodeTlvs, encodeTlvs } from '../../../src/channels/smgp/tlvs.js';
import { createPart, createParts, deps, keepLog, QUICK, submitAll, waitFor } from '../cmpp/peer.js';
import { createConfig } from './conformance.js';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type AnyPdu = Pdu | MalformedPdu<number>;

interface Connection {
  readonly received: AnyPdu[];
  all<C extends Command>(command: C): PduOf<C>[];
  send<C extends Command>(command: C, sequence: number, body?: Body<NoInfer<C>>): void;
  write(bytes: Buffer): void;
}

/** A gateway that accepts every login; the test answers the Submits. */
async function connect(
  onSubmit: (submit: PduOf<'submit'>, connection: Connection) => void,
  over: Partial<SmgpConfig> = {},
  log = deps.log,
) {
  const connections: Connection[] = [];
  const server = createServer((socket) => connections.push(serve(socket, onSubmit)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const channel = openSmgpChannel(createConfig(port, over), { ...deps, log }, QUICK);
  const feedback: Feedback[] = [];
  channel.onFeedback((each) => feedback.push(each));
  closers.push(async () => {
    await channel.close();
    server.close();
  });
  await waitFor(() => channel.health().state === 'up');
  return { channel, feedback, connections, submits: () => connections.flatMap((each) => each.all('submit')) };
}

function serve(socket: Socket, onSubmit: (submit: PduOf<'submit'>, connection: Connection) => void): Connection {
  const received: AnyPdu[] = [];
  let pending = Buffer.alloc(0);
  const connection: Connection = {
    received,
    all: <C extends Command>(command: C) => received.filter((pdu) => pdu.command === command) as unknown as PduOf<C>[],
    send(command, sequence, body) {
      const target = Buffer.alloc(MAX_FRAME_BYTES);
      if (socket.writable) socket.write(target.subarray(0, encodePdu(target, 0, command, sequence, body)));
    },
    write: (bytes) => void socket.write(bytes),
  };
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 4 && pending.length >= pending.readUInt32BE(0)) {
      const pdu = decodePdu(pending.subarray(0, pending.readUInt32BE(0)));
      pending = pending.subarray(pending.readUInt32BE(0));
      received.push(pdu);
      if (pdu.command === 'login') {
        connection.send('login_resp', pdu.sequence, {
          status: 0,
          authenticator_server: '0'.repeat(32),
          server_version: 0x30,
        });
      } else if (pdu.command === 'submit') onSubmit(pdu, connection);
      else if (pdu.command === 'exit') {
        connection.send('exit_resp', pdu.sequence);
        socket.end();
      }
    }
  });
  return connection;
}

const idOf = (sequence: number) => `010061102108${String(sequence % 1e8).padStart(8, '0')}`;
const accept = ({ sequence }: PduOf<'submit'>, { send }: Connection) =>
  send('submit_resp', sequence, { msg_id: idOf(sequence), status: 0 });
const kinds = (outcomes: readonly SubmitOutcome[]) => outcomes.map(({ kind }) => kind);

const DELIVER: Body<'deliver'> = {
  msg_id: '01006110210806000300',
  is_report: 0,
  msg_format: 0,
  recv_time: '20251021080610',
  src_term_id: '13300000001',
  dest_term_id: '10690001',
  msg_content: Buffer.from('TD'),
  reserve: '',
  tlvs: Buffer.alloc(0),
};

describe('a part', () => {
  it('goes out as the configuration says, after a login that proves the secret', async () => {
    const { channel, connections, submits } = await connect(accept, { service_id: 'MSG001', source_prefix: '1069' });
    const login = connections[0]?.all('login')[0]?.body;
    expect(login?.authenticator_client).toBe(hashClient('10690001', 'secret', login?.timestamp ?? 0));
    const validUntil = new Date('2025-12-31T23:59:59+08:00');
    const [outcome] = await submitAll(channel, [createPart({ from: '0001', to: '8613300000001', validUntil })]);
    expect(outcome).toMatchObject({ kind: 'accepted', messageId: idOf(submits()[0]?.sequence ?? 0) });
    expect(submits()[0]?.body).toMatchObject({
      msg_type: 6,
      need_report: 1,
      service_id: 'MSG001',
      fee_type: '00',
      msg_format: 0,
      valid_time: '251231235959032+',
      src_term_id: '10690001',
      dest_term_ids: ['13300000001'],
      msg_content: Buffer.from('hello'),
      tlvs: Buffer.alloc(0),
    });
  });

  it('of a long message has a header and the parameters that say so', async () => {
    const { channel, submits } = await connect(accept, { window: 1 });
    const texts = ['第一部分😀', '第二部分'];
    const parts = texts.map((text, index) =>
      createPart({ reference: `r${index}`, message: 'm', text, encoding: 'ucs2', part: index + 1, parts: 2 }),
    );
    await submitAll(channel, parts);
    const read = submits().map(({ body }) => {
      const tlvs = decodeTlvs(body.tlvs);
      const { octets, segment } = splitHeader(tlvs.tp_udhi ?? 0, body.msg_content);
      expect(segment).toMatchObject({ part: tlvs.pk_number, parts: tlvs.pk_total });
      return decodeText(octets, body.msg_format);
    });
    expect(read).toEqual(texts);
  });

  it.each([
    [1, 'throttled'],
    [12, 'unknown'],
    [47, 'refused'],
    [43, 'refused'],
    [75, 'refused'],
    [200, 'refused'],
  ])('that is answered with %i is %s', async (status, kind) => {
    const { channel } = await connect(({ sequence }, { send }) =>
      send('submit_resp', sequence, { msg_id: NO_MESSAGE_ID, status }),
    );
    expect(await submitAll(channel, [createPart()])).toMatchObject([{ kind, code: String(status) }]);
  });

  it('that the gateway has no session for goes again, on a new one', async () => {
    const { channel, connections } = await connect((submit, connection) => {
      if (connections[0] !== connection) accept(submit, connection);
      else connection.send('submit_resp', submit.sequence, { msg_id: NO_MESSAGE_ID, status: 20 });
    });
    expect(await submitAll(channel, [createPart()])).toMatchObject([{ kind: 'throttled', code: '20' }]);
    await waitFor(() => connections.length === 2 && channel.health().state === 'up');
    expect(kinds(await submitAll(channel, createParts(3)))).toEqual(['accepted', 'accepted', 'accepted']);
  });

  it('that is never answered is unknown and sent once', async () => {
    const { channel, submits } = await connect(() => {}, { response_timeout_ms: 60 });
    expect(await submitAll(channel, [createPart()])).toMatchObject([{ kind: 'unknown', code: 'response_timeout' }]);
    expect(submits()).toHaveLength(1);
  });
});

describe('what the gateway sends', () => {
  it('is a report by its mark, matched by the inner id and answered under the outer one when it is stored', async () => {
    const { connections, feedback } = await connect(accept);
    const times = { submitTime: '2510210805', doneTime: '2510210806' };
    const report = { messageId: '01006110210805000258', ...times, stat: 'UNDELIV', error: '006' };
    connections[0]?.send('deliver', 7, { ...DELIVER, is_report: 1, msg_content: createReport(report) });
    await waitFor(() => feedback.length === 1);
    expect(feedback[0]).toMatchObject({
      kind: 'report',
      messageId: '01006110210805000258',
      status: 'undelivered',
      code: 'UNDELIV:006',
      phone: '8613300000001',
      doneAt: new Date('2025-10-21T08:06:00+08:00'),
    });
    expect(connections[0]?.all('deliver_resp')).toEqual([]);
    feedback[0]?.ack();
    await waitFor(() => connections[0]?.all('deliver_resp').length === 1);
    expect(connections[0]?.all('deliver_resp')[0]).toMatchObject({
      sequence: 7,
      body: { msg_id: '01006110210806000300', status: 0 },
    });
  });

  it('is not answered where it cannot be stored, and taken when it comes again', async () => {
    const { connections, feedback } = await connect(accept);
    connections[0]?.send('deliver', 7, DELIVER);
    await waitFor(() => feedback.length === 1);
    feedback[0]?.nack();
    connections[0]?.send('deliver', 8, DELIVER);
    await waitFor(() => feedback.length === 2);
    feedback[1]?.ack();
    connections[0]?.send('deliver', 9, DELIVER);
    await waitFor(() => connections[0]?.all('deliver_resp').length === 2);
    const answers = connections[0]?.all('deliver_resp') ?? [];
    expect(answers.map(({ sequence, body }) => [sequence, body.status])).toEqual([
      [8, 0],
      [9, 0],
    ]);
    expect(feedback).toHaveLength(2);
  });

  it('is an uplink, joined where it came in parts', async () => {
    const { connections, feedback } = await connect(accept);
    for (const [index, text] of ['你好，', '世界😀'].entries()) {
      const segment = { reference: 7, part: index + 1, parts: 2 };
      connections[0]?.send('deliver', index + 1, {
        ...DELIVER,
        msg_id: `0100611021080600030${index}`,
        msg_format: 8,
        msg_content: joinHeader(segment, encodeUcs2(text).octets),
        tlvs: encodeTlvs({ tp_udhi: index === 0 ? 1 : 0x40 }),
      });
    }
    await waitFor(() => feedback.length === 1);
    expect(feedback[0]).toMatchObject({ kind: 'uplink', from: '8613300000001', to: '10690001', text: '你好，世界😀' });
    feedback[0]?.ack();
    await waitFor(() => connections[0]?.all('deliver_resp').length === 2);
  });

  it('is answered when it is a keepalive or a goodbye', async () => {
    const { connections, channel } = await connect(accept);
    connections[0]?.send('active_test', 5);
    connections[0]?.send('exit', 6);
    await waitFor(() => connections[0]?.all('exit_resp').length === 1);
    expect(connections[0]?.all('active_test_resp')).toMatchObject([{ sequence: 5 }]);
    await waitFor(() => connections.length === 2 && channel.health().state === 'up');
  });

  it('may be nonsense: each reason is logged once, and a length that cannot be ends the session', async () => {
    const { entries, log } = keepLog();
    const { channel, connections } = await connect(accept, {}, log);
    const [first] = connections;
    // An unknown request, a Submit_Resp without its content, a Deliver without its content.
    for (const hex of ['0000000c0000077700000001', '0000000d800000020000000500', '0000000c0000000300000002']) {
      first?.write(Buffer.from(hex, 'hex'));
    }
    first?.send('submit_resp', 0x7ffffff0, { msg_id: idOf(1), status: 0 });
    expect(kinds(await submitAll(channel, createParts(5)))).toEqual(new Array(5).fill('accepted'));
    expect(connections).toHaveLength(1);
    first?.write(Buffer.from('7fffffff0000000300000002', 'hex'));
    await waitFor(() => connections.length === 2 && channel.health().state === 'up');
    expect(kinds(await submitAll(channel, createParts(5)))).toEqual(new Array(5).fill('accepted'));
    // The gateway of these tests knows no secret, which is logged without a reason.
    const reasons = entries.filter(({ fields }) => 'reason' in fields);
    expect(reasons.map(({ fields: { reason }, message }) => [message, reason]).toSorted()).toEqual([
      ['SMGP refused a PDU of the peer', 'a malformed or unknown answer'],
      ['SMGP refused a PDU of the peer', 'a malformed or unknown request'],
      ['SMGP refused a PDU of the peer', 'an answer to no request'],
      ['SMGP session is down', 'the peer sent a frame of impossible length'],
    ]);
  });
});
