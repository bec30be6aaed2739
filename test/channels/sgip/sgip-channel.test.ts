// The channel against a scripted gateway: what it puts on the wire, when it connects, and how reports find their parts.
import { afterEach, describe, expect, it } from 'vitest';
import type { Report } from '../../../src/channels/channel.js';
import { formatSequence } from '../../../src/channels/sgip/sequence.js';
import { createPart, createParts, deps, submitAll, waitFor } from '../cmpp/peer.js';
import {
  dialIn,
  gatewaySequence,
  NODE,
  openChannel as open,
  type PeerScript,
  sendDeliver,
  sendReport,
  startPeer as start,
} from './peer.js';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startPeer(script?: PeerScript) {
  const peer = await start(script);
  closers.push(() => peer.stop());
  return peer;
}

const openChannel: typeof open = async (...options) => {
  const opened = await open(...options);
  closers.push(() => opened.channel.close());
  return opened;
};

async function dial(port: number) {
  const connection = await dialIn(port);
  closers.push(async () => {
    connection.socket.destroy();
  });
  return connection;
}

/** Answers Submits with a result. */
const answerWith =
  (result: number): PeerScript =>
  (pdu, { send }) => {
    if (pdu.command !== 'submit') return false;
    send('submit_resp', pdu.sequence, { result, reserve: '' });
    return true;
  };

describe('a Submit', () => {
  it('says what the carrier needs, and its sequence number is the message id', async () => {
    const peer = await startPeer();
    const { channel } = await openChannel(peer.port, { service_type: 'MSG001', source_prefix: '1069' });
    const validUntil = new Date('2025-12-31T15:59:59Z');
    const [outcome] = await submitAll(channel, [
      createPart({ from: '0001', text: '验证码', encoding: 'ucs2', validUntil }),
    ]);
    const [submit] = peer.submits();
    expect(submit?.body).toMatchObject({
      sp_number: '10690001',
      charge_number: '0'.repeat(21),
      user_numbers: ['8613800138000'],
      corp_id: '90001',
      service_type: 'MSG001',
      mo_relate_to_mt_flag: 2,
      expire_time: '251231235959032+',
      report_flag: 1,
      message_coding: 8,
    });
    expect(submit?.sequence.node).toBe(NODE);
    expect(submit && formatSequence(submit.sequence)).toMatch(/^b36a5411[0-9a-f]{16}$/);
    expect(outcome).toMatchObject({ kind: 'accepted', messageId: submit && formatSequence(submit.sequence) });
  });

  it('finds its answer and its id when the gateway answers with another time', async () => {
    const peer = await startPeer((pdu, { send }) => {
      if (pdu.command !== 'submit') return false;
      send('submit_resp', { ...pdu.sequence, time: 101_000_000 }, { result: 0, reserve: '' });
      return true;
    });
    const { channel } = await openChannel(peer.port);
    const outcomes = await submitAll(channel, createParts(50));
    const ids = peer.submits().map(({ sequence }) => formatSequence(sequence));
    expect(outcomes.map((outcome) => outcome.kind === 'accepted' && outcome.messageId).sort()).toEqual(ids.sort());
  });

  it('has a number that no other has, over all sessions and channels', async () => {
    const peer = await startPeer();
    const first = await openChannel(peer.port, { sessions: 3 });
    const second = await openChannel(peer.port);
    await Promise.all([submitAll(first.channel, createParts(300)), submitAll(second.channel, createParts(300))]);
    expect(new Set(peer.submits().map(({ sequence }) => sequence.counter)).size).toBe(600);
  });

  it.each([
    [11, 'throttled'],
    [33, 'throttled'],
    [88, 'throttled'],
    [3, 'throttled'],
    [6, 'refused'],
    [9, 'refused'],
    [182, 'refused'],
    [254, 'refused'],
  ])('answered with %i is %s', async (result, kind) => {
    const peer = await startPeer(answerWith(result));
    const { channel } = await openChannel(peer.port);
    expect(await submitAll(channel, [createPart()])).toMatchObject([{ kind, code: String(result) }]);
  });

  it('does not leave when it does not fit', async () => {
    const peer = await startPeer();
    const { channel } = await openChannel(peer.port);
    const parts = [createPart({ text: 'x'.repeat(141) }), createPart({ from: '1'.repeat(22) }), createPart({ to: '' })];
    const outcomes = await submitAll(channel, parts);
    expect(outcomes.map((outcome) => outcome.kind === 'refused' && outcome.code)).toEqual(['8', '5', '6']);
    expect(peer.submits()).toEqual([]);
  });

  it('without an answer is unknown, never goes again, and its report still names it', async () => {
    const peer = await startPeer((pdu) => pdu.command === 'submit');
    const { channel, feedback, listenPort } = await openChannel(peer.port, { response_timeout_ms: 200 });
    const outcomes = await submitAll(channel, createParts(3));
    expect(outcomes).toMatchObject(new Array(3).fill({ kind: 'unknown', code: 'response_timeout' }));
    const gateway = await dial(listenPort);
    for (const [index, { sequence, body }] of peer.submits().entries()) {
      sendReport(gateway, gatewaySequence(10 + index), formatSequence(sequence), {
        user_number: body.user_numbers[0] ?? '',
      });
    }
    await waitFor(() => feedback.length === 3);
    const references = new Map((feedback as Report[]).map(({ phone, reference }) => [phone, reference]));
    expect(references).toEqual(new Map(createParts(3).map(({ to, reference }) => [to, reference])));
    expect(peer.submits()).toHaveLength(3);
  });

  it('answered late resolves', async () => {
    let held: (() => void) | undefined;
    const peer = await startPeer((pdu, { send }) => {
      if (pdu.command !== 'submit') return false;
      held = () => send('submit_resp', pdu.sequence, { result: 0, reserve: '' });
      return true;
    });
    const { channel } = await openChannel(peer.port, { response_timeout_ms: 100 });
    const late: unknown[] = [];
    channel.onLateAnswer?.((outcome) => late.push(outcome));
    await submitAll(channel, [createPart()]);
    held?.();
    await waitFor(() => late.length === 1);
    const [submit] = peer.submits();
    expect(late).toMatchObject([{ kind: 'accepted', messageId: submit && formatSequence(submit.sequence) }]);
  });
});

describe('our connection', () => {
  it('is left when it is idle, opened when there is something to send, and up all the time', async () => {
    const peer = await startPeer();
    const events: string[] = [];
    const { channel } = await openChannel(peer.port, {}, { idleMs: 50 });
    channel.onSession?.(({ kind }) => events.push(kind));
    for (let round = 1; round <= 3; round += 1) {
      expect(await submitAll(channel, createParts(5))).toMatchObject(new Array(5).fill({ kind: 'accepted' }));
      await waitFor(() => peer.connections.every(({ isClosed }) => isClosed));
      expect(peer.connections.flatMap((each) => each.all('unbind'))).toHaveLength(peer.connections.length);
      expect(channel.health()).toMatchObject({ state: 'up', sessions: 1 });
    }
    expect(peer.connections.length).toBeGreaterThanOrEqual(3);
    expect(events).not.toContain('down');
  });

  it('may be closed by the gateway while it is idle', async () => {
    const peer = await startPeer();
    const { channel } = await openChannel(peer.port);
    const events: string[] = [];
    channel.onSession?.(({ kind }) => events.push(kind));
    for (let round = 0; round < 3; round += 1) {
      const before = peer.connections.length;
      peer.connections.at(-1)?.socket.end();
      await waitFor(() => peer.connections.every(({ isClosed }) => isClosed));
      expect(await submitAll(channel, createParts(2))).toMatchObject(new Array(2).fill({ kind: 'accepted' }));
      expect(peer.connections.length).toBe(before + 1);
    }
    expect(channel.health().state).toBe('up');
    expect(events).not.toContain('down');
    expect(peer.submits()).toHaveLength(6);
  });

  it('is down, with the reason, while the gateway refuses the login', async () => {
    let result = 0;
    const peer = await startPeer((pdu, { send, socket }) => {
      if (pdu.command === 'submit') {
        socket.destroy();
        return true;
      }
      if (pdu.command !== 'bind') return false;
      send('bind_resp', pdu.sequence, { result, reserve: '' });
      return true;
    });
    const { channel } = await openChannel(peer.port);
    result = 3;
    expect(await submitAll(channel, [createPart()])).toMatchObject([{ kind: 'unknown', code: 'connection_lost' }]);
    await waitFor(() => channel.health().detail === 'bind refused: 3 (too many connections)');
    expect(channel.health().state).toBe('down');
    result = 0;
    await waitFor(() => channel.health().state === 'up');
  });

  it('ends when the gateway does not know it any more', async () => {
    const peer = await startPeer(answerWith(2));
    const { channel } = await openChannel(peer.port);
    expect(await submitAll(channel, [createPart()])).toMatchObject([{ kind: 'throttled', code: '2' }]);
    await waitFor(() => peer.connections.length >= 2);
  });

  it('takes reports and uplinks, too', async () => {
    const peer = await startPeer();
    const { feedback } = await openChannel(peer.port, { source_prefix: '1069' });
    const [connection] = peer.connections;
    if (connection === undefined) throw new Error('the channel is not connected');
    sendReport(connection, gatewaySequence(5), '0'.repeat(24), { state: 2, error_code: 25 });
    sendDeliver(connection, gatewaySequence(6), 'hello');
    await waitFor(() => feedback.length === 2);
    for (const each of feedback) each.ack();
    await waitFor(() => connection.all('report_resp').length === 1 && connection.all('deliver_resp').length === 1);
    expect(feedback).toMatchObject([
      { kind: 'report', status: 'undelivered', code: '2:25', phone: '8613800138000' },
      { kind: 'uplink', text: 'hello', from: '8613800138000', to: '0001' },
    ]);
  });
});

describe('the gateway', () => {
  it('is answered when the report is stored, not before, and with its own number', async () => {
    const peer = await startPeer();
    const { channel, feedback, listenPort } = await openChannel(peer.port);
    const [outcome] = await submitAll(channel, [createPart()]);
    const gateway = await dial(listenPort);
    const sequence = gatewaySequence(7);
    sendReport(gateway, sequence, outcome?.kind === 'accepted' ? outcome.messageId : '');
    await waitFor(() => feedback.length === 1);
    // What comes after is answered at once: an answer to the report would have come before it.
    gateway.send('user_report', gatewaySequence(8), {
      sp_number: '1',
      user_number: '2',
      user_condition: 0,
      reserve: '',
    });
    await waitFor(() => gateway.all('user_report_resp').length === 1);
    expect(gateway.all('report_resp')).toEqual([]);
    feedback[0]?.ack();
    await waitFor(() => gateway.all('report_resp').length === 1);
    expect(gateway.all('report_resp')[0]).toMatchObject({ sequence, body: { result: 0 } });
    expect(feedback[0]).toMatchObject({ messageId: outcome?.kind === 'accepted' && outcome.messageId, code: '0' });
    expect(feedback[0]).not.toHaveProperty('reference');
  });

  it('gets no answer for what cannot be stored, and a new connection frees its window', async () => {
    const peer = await startPeer();
    const { feedback, listenPort } = await openChannel(peer.port);
    const gateway = await dial(listenPort);
    for (let index = 0; index < 16; index += 1) sendReport(gateway, gatewaySequence(100 + index), '0'.repeat(24));
    await waitFor(() => feedback.length === 16);
    for (const each of feedback) each.nack();
    await waitFor(() => gateway.isClosed);
    expect(gateway.all('report_resp')).toEqual([]);
    const again = await dial(listenPort);
    sendReport(again, gatewaySequence(100), '0'.repeat(24));
    await waitFor(() => feedback.length === 17);
  });

  it('may repeat an uplink: it is emitted once and answered each time', async () => {
    const peer = await startPeer();
    const { feedback, listenPort } = await openChannel(peer.port);
    const gateway = await dial(listenPort);
    const sequence = gatewaySequence(9);
    sendDeliver(gateway, sequence, 'STOP');
    await waitFor(() => feedback.length === 1);
    sendDeliver(gateway, sequence, 'STOP');
    feedback[0]?.ack();
    const other = await dial(listenPort);
    sendDeliver(other, sequence, 'STOP');
    await waitFor(() => gateway.all('deliver_resp').length === 2 && other.all('deliver_resp').length === 1);
    // The same words under another number are another message.
    sendDeliver(other, gatewaySequence(10), 'STOP');
    await waitFor(() => feedback.length === 2);
    expect(feedback[0]).toMatchObject({ mark: formatSequence(sequence) });
  });

  it('brings long uplinks in any order and over several connections', async () => {
    const peer = await startPeer();
    const { feedback, listenPort } = await openChannel(peer.port);
    const [one, two] = [await dial(listenPort), await dial(listenPort)];
    const part = (number: number, text: string) =>
      Buffer.concat([Buffer.from([5, 0, 3, 42, 2, number]), Buffer.from(text, 'utf16le').swap16()]);
    sendDeliver(two, gatewaySequence(21), part(2, '世界😀'), { tp_udhi: 0x40, message_coding: 8 });
    sendDeliver(one, gatewaySequence(20), part(1, '你好'), { tp_udhi: 1, message_coding: 8 });
    await waitFor(() => feedback.length === 1);
    expect(feedback[0]).toMatchObject({ kind: 'uplink', text: '你好世界😀' });
    expect(one.all('deliver_resp')).toEqual([]);
    feedback[0]?.ack();
    await waitFor(() => one.all('deliver_resp').length === 1 && two.all('deliver_resp').length === 1);
  });

  it('may report an uplink of ours: it is answered and ignored', async () => {
    const peer = await startPeer();
    const { feedback, listenPort } = await openChannel(peer.port);
    const gateway = await dial(listenPort);
    sendReport(gateway, gatewaySequence(11), '0'.repeat(24), { report_type: 1 });
    await waitFor(() => gateway.all('report_resp').length === 1);
    expect(feedback).toEqual([]);
  });

  it('that accepts parts and never connects is a fault', async () => {
    const peer = await startPeer();
    let time = 0;
    const clock = () => performance.now() + time;
    const { channel, listenPort } = await openChannel(peer.port, {}, {}, { ...deps, clock });
    await submitAll(channel, [createPart()]);
    time = 15 * 60_000;
    expect(channel.health()).toMatchObject({ state: 'degraded' });
    expect(channel.health().detail).toContain('has not connected');
    await dial(listenPort);
    await waitFor(() => channel.health().state === 'up');
  });

  it('unbinds when it has nothing more', async () => {
    const peer = await startPeer();
    const { listenPort } = await openChannel(peer.port);
    const gateway = await dial(listenPort);
    gateway.send('unbind', gatewaySequence(12));
    await waitFor(() => gateway.isClosed);
    expect(gateway.all('unbind_resp')).toHaveLength(1);
  });
});
