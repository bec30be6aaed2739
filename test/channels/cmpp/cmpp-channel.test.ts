// A CMPP channel on a real socket: login, window, keepalive, lost answers, and what goes out for a part.
import { afterEach, describe, expect, it } from 'vitest';
import type { SubmitOutcome } from '../../../src/channels/channel.js';
import { splitHeader } from '../../../src/channels/china/long-text.js';
import { decodeText } from '../../../src/channels/china/text-format.js';
import { openCmppChannel } from '../../../src/channels/cmpp/cmpp-channel.js';
import { hashConnect } from '../../../src/channels/cmpp/login.js';
import { type CmppVersion, NO_MESSAGE_ID } from '../../../src/channels/cmpp/pdu.js';
import {
  acceptAll,
  createConfig,
  createPart,
  createParts,
  deps,
  idOf,
  keepLog,
  openChannel,
  type PeerScript,
  QUICK,
  SECRET,
  startPeer,
  submitAll,
  waitFor,
} from './peer.js';

const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function serve(script: PeerScript, version: CmppVersion = '2.0') {
  const peer = await startPeer(script, version);
  opened.push({ close: () => peer.stop() });
  return peer;
}

async function connect(
  script: PeerScript,
  ...over: Parameters<typeof openChannel> extends [number, ...infer R] ? R : never
) {
  const peer = await serve(script, over[0]?.version);
  const { channel, feedback } = await openChannel(peer.port, ...over);
  opened.push(channel);
  return { peer, channel, feedback };
}

const kinds = (outcomes: readonly SubmitOutcome[]) => outcomes.map(({ kind }) => kind);

describe('the login', () => {
  it.each(['2.0', '3.0'] as const)('proves that it knows the secret, in %s', async (version) => {
    const now = () => Date.parse('2025-03-01T00:00:00+08:00');
    const { peer } = await connect(acceptAll, { version }, {}, { now });
    const [login] = peer.current().all('connect');
    expect(login?.body).toEqual({
      source_addr: '900001',
      authenticator_source: hashConnect('900001', SECRET, 301000000),
      version: version === '2.0' ? 0x20 : 0x30,
      timestamp: 301000000,
    });
  });

  it('that is refused is tried again, ever more slowly, and says why', async () => {
    const peer = await serve((pdu, { send }) => {
      if (pdu.command !== 'connect') return false;
      send('connect_resp', pdu.sequence, { status: 3, authenticator_ismg: '0'.repeat(32), version: 0x20 });
      return true;
    });
    const { entries, log } = keepLog();
    const timing = { reconnectMinMs: 8, reconnectMaxMs: 40 };
    const channel = openCmppChannel(createConfig(peer.port), { ...deps, log, random: () => 0.5 }, timing);
    opened.push(channel);
    await waitFor(() => entries.length >= 5);
    expect(entries.slice(0, 5).map(({ fields }) => fields.retry_ms)).toEqual([6, 12, 24, 30, 30]);
    expect(channel.health()).toMatchObject({
      state: 'down',
      sessions: 0,
      detail: 'connect refused: 3 (authentication failed)',
    });
  });

  it('of a gateway that answers in the length of the other version is understood', async () => {
    const { channel } = await connect(
      (pdu, connection) => {
        if (pdu.command !== 'connect') return acceptAll(pdu, connection);
        const answer = Buffer.alloc(30);
        answer.writeUInt32BE(30, 0);
        answer.writeUInt32BE(0x80000001, 4);
        answer.writeUInt32BE(pdu.sequence, 8);
        connection.write(answer);
        return true;
      },
      { version: '3.0' },
    );
    expect(kinds(await submitAll(channel, createParts(3)))).toEqual(['accepted', 'accepted', 'accepted']);
  });

  it('of a gateway that does not authenticate itself is logged and continues', async () => {
    const { entries, log } = keepLog();
    const { channel } = await connect(
      (pdu, connection) => {
        if (pdu.command !== 'connect') return acceptAll(pdu, connection);
        connection.send('connect_resp', pdu.sequence, {
          status: 0,
          authenticator_ismg: 'ab'.repeat(16),
          version: 0x20,
        });
        return true;
      },
      {},
      {},
      { log },
    );
    expect(kinds(await submitAll(channel, createParts(1)))).toEqual(['accepted']);
    expect(entries.map(({ message }) => message)).toEqual(['the gateway did not prove that it knows the secret']);
  });

  it('that is never answered is given up', async () => {
    const peer = await serve((pdu) => pdu.command === 'connect' && peer.connections.length === 1);
    const { channel } = await openChannel(peer.port, {}, { connectTimeoutMs: 60 });
    opened.push(channel);
    expect(peer.connections).toHaveLength(2);
  });
});

describe('one part', () => {
  it('goes out as the configuration says', async () => {
    const over = { service_id: 'MSG001', source_prefix: '1069' };
    const { channel, peer } = await connect(acceptAll, over);
    const part = createPart({ from: '0001', validUntil: new Date('2025-12-31T23:59:59+08:00') });
    const [outcome] = await submitAll(channel, [part]);
    const [submit] = peer.submits();
    expect(outcome).toMatchObject({ kind: 'accepted', messageId: idOf(submit?.sequence ?? 0) });
    expect(submit?.body).toMatchObject({
      msg_id: NO_MESSAGE_ID,
      pk_total: 1,
      pk_number: 1,
      registered_delivery: 1,
      service_id: 'MSG001',
      fee_user_type: 2,
      fee_type: '01',
      fee_code: '000000',
      tp_udhi: 0,
      msg_fmt: 0,
      msg_src: '900001',
      valid_time: '251231235959032+',
      src_id: '10690001',
      dest_terminal_ids: ['13800138000'],
      msg_content: Buffer.from('hello'),
    });
  });

  it('goes to the whole number where the configuration says so, and to a foreign number as it is', async () => {
    const whole = await connect(acceptAll, { national_numbers: false });
    await submitAll(whole.channel, [createPart()]);
    expect(whole.peer.submits()[0]?.body.dest_terminal_ids).toEqual(['8613800138000']);
    const national = await connect(acceptAll);
    await submitAll(national.channel, [createPart({ to: '85291234567' })]);
    expect(national.peer.submits()[0]?.body.dest_terminal_ids).toEqual(['85291234567']);
  });

  it('that no field can hold is refused without being sent', async () => {
    const { channel, peer } = await connect(acceptAll);
    const outcomes = await submitAll(channel, [
      createPart({ from: '1'.repeat(22) }),
      createPart({ from: '签名' }),
      createPart({ to: '1'.repeat(22) }),
      createPart({ text: 'a'.repeat(141) }),
      createPart({ text: '好'.repeat(71), encoding: 'ucs2' }),
      createPart({ text: '好'.repeat(68), encoding: 'ucs2', parts: 2 }),
    ]);
    const codes = outcomes.map((outcome) => (outcome.kind === 'refused' ? outcome.code : outcome.kind));
    expect(codes).toEqual(['10', '10', '13', '6', '6', '6']);
    expect(peer.submits()).toEqual([]);
  });

  it.each([
    [8, 'throttled', '8'],
    [3, 'unknown', '3'],
    [9, 'refused', '9'],
    [13, 'refused', '13'],
    [150, 'refused', '150'],
  ])('that is answered with %i is %s', async (result, kind, code) => {
    const { channel } = await connect((pdu, { send }) => {
      if (pdu.command !== 'submit') return false;
      send('submit_resp', pdu.sequence, { msg_id: NO_MESSAGE_ID, result });
      return true;
    });
    expect(await submitAll(channel, [createPart()])).toMatchObject([{ kind, code }]);
  });

  it('that is accepted without an id has none', async () => {
    const { entries, log } = keepLog();
    const script: PeerScript = (pdu, { send }) => {
      if (pdu.command !== 'submit') return false;
      send('submit_resp', pdu.sequence, { msg_id: NO_MESSAGE_ID, result: 0 });
      return true;
    };
    const { channel } = await connect(script, {}, {}, { log });
    expect(await submitAll(channel, createParts(3))).toMatchObject([
      { kind: 'accepted', messageId: '' },
      { kind: 'accepted', messageId: '' },
      { kind: 'accepted', messageId: '' },
    ]);
    expect(entries.map(({ message }) => message)).toEqual(['the gateway accepts parts without a message id']);
  });
});

describe('a long message', () => {
  it('goes as parts with a header, on one session and in order', async () => {
    const { channel, peer } = await connect(acceptAll, { sessions: 3, window: 2, version: '3.0' });
    const texts = ['第一部分😀', '第二部分', 'third'];
    const parts = createParts(20).flatMap((part) =>
      texts.map((text, index) =>
        createPart({ ...part, message: part.reference, text, encoding: 'ucs2', part: index + 1, parts: 3 }),
      ),
    );
    await submitAll(channel, parts);
    expect(peer.submits()).toHaveLength(60);
    for (const connection of peer.connections) {
      const seen = new Map<string, string[]>();
      for (const { body } of connection.all('submit')) {
        const { octets, segment } = splitHeader(body.tp_udhi, body.msg_content);
        expect(segment).toMatchObject({ part: body.pk_number, parts: body.pk_total });
        const key = `${body.dest_terminal_ids[0]} ${segment?.reference}`;
        seen.set(key, [...(seen.get(key) ?? []), decodeText(octets, body.msg_fmt)]);
      }
      for (const received of seen.values()) expect(received).toEqual(texts);
    }
  });
});

describe('sessions', () => {
  it('never have more parts unanswered than the window, and share the load', async () => {
    const answered = new Map<unknown, number>();
    const waiting: (() => void)[] = [];
    const { channel, peer } = await connect(
      (pdu, connection) => {
        if (pdu.command !== 'submit') return false;
        waiting.push(() => acceptAll(pdu, connection));
        expect(connection.all('submit').length - (answered.get(connection) ?? 0)).toBeLessThanOrEqual(3);
        if (waiting.length === 6) {
          for (const answer of waiting.splice(0)) answer();
          for (const each of peer.connections) answered.set(each, each.all('submit').length);
        }
        return true;
      },
      { sessions: 2, window: 3 },
    );
    expect(kinds(await submitAll(channel, createParts(60)))).toEqual(new Array(60).fill('accepted'));
    expect(peer.connections.map((each) => each.all('submit').length)).toEqual([30, 30]);
  });

  it('do not begin at the same sequence number each time', async () => {
    const { peer } = await connect(acceptAll, { sessions: 4 });
    const first = peer.connections.map((each) => each.all('connect')[0]?.sequence);
    expect(new Set(first).size).toBe(4);
  });

  it('that are cut make exactly their unanswered parts unknown, and send none of them again', async () => {
    const { channel, peer } = await connect((pdu, connection) => {
      if (pdu.command !== 'submit' || connection !== peer.connections[0]) return acceptAll(pdu, connection);
      const count = connection.all('submit').length;
      if (count === 10) connection.socket.destroy();
      return count > 6 || acceptAll(pdu, connection);
    });
    const outcomes = await submitAll(channel, createParts(40));
    const unknown = outcomes.filter((outcome) => outcome.kind === 'unknown');
    expect(unknown).toHaveLength(16);
    expect(new Set(unknown.map(({ code }) => code))).toEqual(new Set(['connection_lost']));
    expect(outcomes.filter(({ kind }) => kind === 'accepted')).toHaveLength(24);
    const sent = peer.submits().map(({ body }) => body.dest_terminal_ids[0]);
    expect(new Set(sent).size).toBe(sent.length);
  });

  it('send a part once whose answer never comes, and pass on an answer that comes late', async () => {
    let late: (() => void) | undefined;
    const { channel, peer } = await connect(
      (pdu, connection) => {
        if (pdu.command === 'submit') late = () => acceptAll(pdu, connection);
        return pdu.command === 'submit';
      },
      { response_timeout_ms: 60 },
    );
    const lateAnswers: SubmitOutcome[] = [];
    channel.onLateAnswer?.((outcome) => lateAnswers.push(outcome));
    expect(await submitAll(channel, [createPart()])).toMatchObject([{ kind: 'unknown', code: 'response_timeout' }]);
    late?.();
    await waitFor(() => lateAnswers.length === 1);
    expect(lateAnswers[0]).toMatchObject({ kind: 'accepted' });
    expect(peer.submits()).toHaveLength(1);
  });

  it('ask a silent gateway for life and give up one that does not answer', async () => {
    const { peer, channel } = await connect((pdu) => pdu.command === 'active_test' && peer.connections.length === 1, {
      keepalive_ms: 100,
      response_timeout_ms: 80,
    });
    await waitFor(() => peer.connections.length === 2 && channel.health().state === 'up');
    expect(peer.connections[0]?.all('active_test').length).toBeGreaterThan(0);
    await waitFor(() => (peer.connections[1]?.all('active_test').length ?? 0) >= 2);
    expect(peer.connections).toHaveLength(2);
  });

  it('answer the keepalive of the gateway, with a body of one octet', async () => {
    const { peer } = await connect(acceptAll);
    peer.current().send('active_test', 77);
    await waitFor(() => peer.current().all('active_test_resp').length === 1);
    expect(peer.current().all('active_test_resp')[0]).toMatchObject({ sequence: 77 });
  });

  it('answer the goodbye of the gateway when their parts have been answered, and come back', async () => {
    const answers: (() => void)[] = [];
    const { channel, peer } = await connect((pdu, connection) => {
      if (pdu.command !== 'submit' || peer.connections.length > 1) return acceptAll(pdu, connection);
      answers.push(() => acceptAll(pdu, connection));
      return true;
    });
    const outcomes = submitAll(channel, createParts(20));
    await waitFor(() => answers.length === 16);
    const first = peer.current();
    first.send('terminate', 9);
    first.send('active_test', 10);
    await waitFor(() => first.all('active_test_resp').length === 1);
    expect(first.all('terminate_resp')).toEqual([]);
    for (const answer of answers) answer();
    expect(kinds(await outcomes)).toEqual(new Array(20).fill('accepted'));
    expect(first.all('terminate_resp')).toMatchObject([{ sequence: 9 }]);
    expect(first.all('submit')).toHaveLength(16);
  });

  it('survive nonsense, log each reason once, and end at a length that cannot be', async () => {
    const { entries, log } = keepLog();
    const { channel, peer } = await connect(acceptAll, {}, {}, { log });
    const first = peer.current();
    for (const hex of ['0000000c0000077700000001', '0000000d800000040000000500', '0000000c0000000500000002']) {
      first.write(Buffer.from(hex, 'hex'));
    }
    first.send('submit_resp', 0x7ffffff0, { msg_id: idOf(1), result: 0 });
    expect(kinds(await submitAll(channel, createParts(5)))).toEqual(new Array(5).fill('accepted'));
    expect(peer.connections).toHaveLength(1);
    first.write(Buffer.from('7fffffff0000000500000002', 'hex'));
    await waitFor(() => peer.connections.length === 2 && channel.health().state === 'up');
    expect(kinds(await submitAll(channel, createParts(5)))).toEqual(new Array(5).fill('accepted'));
    expect(entries.map(({ fields: { reason }, message }) => [message, reason]).toSorted()).toEqual([
      ['CMPP refused a PDU of the peer', 'a malformed or unknown answer'],
      ['CMPP refused a PDU of the peer', 'a malformed or unknown request'],
      ['CMPP refused a PDU of the peer', 'an answer to no request'],
      ['CMPP session is down', 'the peer sent a frame of impossible length'],
    ]);
  });

  it('take no part of a channel whose gateway is away: it comes back unsent', async () => {
    const channel = openCmppChannel(createConfig(1), deps, QUICK);
    opened.push(channel);
    expect(kinds(await submitAll(channel, createParts(3)))).toEqual(['unsent', 'unsent', 'unsent']);
  });
});

describe('closing', () => {
  it('waits for the parts in flight, gives back the others and says goodbye', async () => {
    const answers: (() => void)[] = [];
    const { channel, peer } = await connect(
      (pdu, connection) => {
        if (pdu.command === 'submit') answers.push(() => acceptAll(pdu, connection));
        return pdu.command === 'submit';
      },
      { window: 2 },
    );
    const outcomes = submitAll(channel, createParts(5));
    await waitFor(() => answers.length === 2);
    const closed = channel.close();
    for (const answer of answers) answer();
    await closed;
    expect(kinds(await outcomes).sort()).toEqual(['accepted', 'accepted', 'unsent', 'unsent', 'unsent']);
    expect(peer.connections[0]?.all('terminate')).toHaveLength(1);
  });
});
