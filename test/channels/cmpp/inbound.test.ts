// What a CMPP gateway sends: reports and uplinks, acknowledged when they are stored.
import { afterEach, describe, expect, it } from 'vitest';
import type { Report, UplinkMessage } from '../../../src/channels/channel.js';
import { joinHeader } from '../../../src/channels/china/long-text.js';
import { encodeUcs2 } from '../../../src/channels/china/text-format.js';
import { NO_MESSAGE_ID } from '../../../src/channels/cmpp/pdu.js';
import { acceptAll, createPart, idOf, openChannel, startPeer, submitAll, waitFor } from './peer.js';

const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function connect(...over: Parameters<typeof openChannel> extends [number, ...infer R] ? R : never) {
  const peer = await startPeer(acceptAll, over[0]?.version);
  opened.push({ close: () => peer.stop() });
  const { channel, feedback } = await openChannel(peer.port, ...over);
  opened.push(channel);
  return {
    peer,
    channel,
    feedback,
    reports: () => feedback.filter((each): each is Report => each.kind === 'report'),
    uplinks: () => feedback.filter((each): each is UplinkMessage => each.kind === 'uplink'),
  };
}

/** Sends a keepalive and waits for its answer: whatever was to be answered before has been. */
async function settle(connection: {
  send(command: 'active_test', sequence: number): void;
  all(command: 'active_test_resp'): unknown[];
}) {
  const before = connection.all('active_test_resp').length;
  connection.send('active_test', 99);
  await waitFor(() => connection.all('active_test_resp').length > before);
}

describe('a report', () => {
  it.each(['2.0', '3.0'] as const)('carries id, status, code, number and time, in %s', async (version) => {
    const { peer, reports } = await connect({ version });
    peer.current().report(1, 'aaa0528003e90102');
    await waitFor(() => reports().length === 1);
    expect(reports()[0]).toMatchObject({
      messageId: 'aaa0528003e90102',
      status: 'delivered',
      code: 'DELIVRD',
      phone: '8613800138000',
      doneAt: new Date('2025-10-21T08:06:00+08:00'),
    });
  });

  it('is acknowledged under its outer id, and only when it has been stored', async () => {
    const { peer, reports } = await connect();
    peer.current().report(5, 'aaa0528003e90102', { outerId: 'aaa0608003e9012c' });
    await waitFor(() => reports().length === 1);
    await settle(peer.current());
    expect(peer.current().all('deliver_resp')).toEqual([]);
    reports()[0]?.ack();
    await waitFor(() => peer.current().all('deliver_resp').length === 1);
    expect(peer.current().all('deliver_resp')[0]).toMatchObject({
      sequence: 5,
      body: { msg_id: 'aaa0608003e9012c', result: 0 },
    });
  });

  it('that cannot be stored is not answered, and the session ends for the gateway to send it again', async () => {
    let ahead = 0;
    const { peer, reports } = await connect({}, {}, { clock: () => performance.now() + ahead });
    const first = peer.current();
    first.report(5, 'aaa0528003e90102');
    await waitFor(() => reports().length === 1);
    reports()[0]?.nack();
    await settle(first);
    ahead = 6_000;
    await waitFor(() => first.isClosed && peer.connections.length === 2);
    expect(first.all('deliver_resp')).toEqual([]);
    expect(first.all('terminate')).toHaveLength(1);
    await waitFor(() => peer.connections[1]?.all('connect').length === 1);
    peer.connections[1]?.report(1, 'aaa0528003e90102');
    await waitFor(() => reports().length === 2);
  });

  it('is final in every word but ACCEPTD', async () => {
    const { peer, reports } = await connect();
    const words = ['EXPIRED', 'UNDELIV', 'ACCEPTD', 'REJECTD', 'MB:0010', 'MA:0054', 'AF:4'];
    for (const [index, stat] of words.entries()) peer.current().report(index, 'aaa0528003e90102', { stat });
    await waitFor(() => reports().length === words.length);
    expect(reports().map(({ code }) => code)).toEqual(words);
    expect(reports().map(({ status }) => status)).toEqual([
      'expired',
      'undelivered',
      'intermediate',
      'rejected',
      'rejected',
      'undelivered',
      'undelivered',
    ]);
  });

  it('may come before the answer, on another session, and twice', async () => {
    const { peer, channel, reports } = await connect({ sessions: 2 });
    const [one, other] = peer.connections;
    const [outcome] = await submitAll(channel, [createPart()]);
    const [submit] = peer.submits();
    const id = idOf(submit?.sequence ?? 0);
    expect(outcome).toMatchObject({ kind: 'accepted', messageId: id });
    one?.report(1, id);
    other?.report(1, id);
    other?.report(2, id);
    await waitFor(() => reports().length === 3);
    expect(reports().map(({ messageId }) => messageId)).toEqual([id, id, id]);
    for (const report of reports()) report.ack();
    await waitFor(() => (one?.all('deliver_resp').length ?? 0) + (other?.all('deliver_resp').length ?? 0) === 3);
  });

  it('names the handset of the Deliver where its body has none, and no pseudo code', async () => {
    const { peer, reports } = await connect({ version: '3.0' });
    peer.current().report(1, 'aaa0528003e90102', { handset: '' });
    await waitFor(() => reports().length === 1);
    expect(reports()[0]?.phone).toBe('8613800138000');
    const pseudo = { registered_delivery: 1, src_terminal_type: 1, src_terminal_id: '12345678901' };
    peer.current().deliver(2, { ...pseudo, msg_content: Buffer.from('aaa0528003e90102', 'hex') });
    await waitFor(() => reports().length === 2);
    expect(reports()[1]).toMatchObject({ messageId: 'aaa0528003e90102', status: 'undelivered', code: 'UNKNOWN' });
    expect(reports()[1]?.phone).toBeUndefined();
  });
});

describe('an uplink', () => {
  it('is text in whatever format it came', async () => {
    const { peer, uplinks } = await connect();
    const contents: readonly (readonly [format: number, hex: string])[] = [
      [15, 'cdcbb6a9'],
      [8, '90008ba2'],
      [0, '5444'],
      [4, '00ff'],
    ];
    contents.forEach(([msg_fmt, hex], index) => {
      const msg_id = `00000000000000${10 + index}`;
      peer.current().deliver(index + 1, { msg_id, msg_fmt, msg_content: Buffer.from(hex, 'hex') });
    });
    await waitFor(() => uplinks().length === 4);
    expect(uplinks().map(({ text }) => text)).toEqual(['退订', '退订', 'TD', '00ff']);
    expect(uplinks()[0]).toMatchObject({ from: '8613800138000', to: '10690001', mark: '0000000000000010' });
  });

  it('goes to the sender that was written behind the prefix', async () => {
    const { peer, uplinks } = await connect({ source_prefix: '1069' });
    for (const [index, dest_id] of ['10690001', '1069', '95599'].entries()) {
      peer.current().deliver(index + 1, { msg_id: `00000000000000${10 + index}`, dest_id });
    }
    await waitFor(() => uplinks().length === 3);
    expect(uplinks().map(({ to }) => to)).toEqual(['0001', '1069', '95599']);
  });

  it('in parts is joined in any order and over sessions, and each part acknowledged when the whole is stored', async () => {
    const { peer, uplinks } = await connect({ sessions: 2 });
    const [one, other] = peer.connections;
    const part = (number: number, text: string) => ({
      msg_id: `00000000000000${20 + number}`,
      tp_udhi: number === 2 ? 0x40 : 1,
      msg_fmt: 8,
      msg_content: joinHeader({ reference: 7, part: number, parts: 3 }, encodeUcs2(text).octets),
    });
    other?.deliver(1, part(3, '！'));
    one?.deliver(1, part(1, '你好，'));
    await settle(one as never);
    expect(uplinks()).toEqual([]);
    one?.deliver(2, part(2, '世界😀'));
    await waitFor(() => uplinks().length === 1);
    expect(uplinks()[0]?.text).toBe('你好，世界😀！');
    expect(one?.all('deliver_resp')).toEqual([]);
    uplinks()[0]?.ack();
    await waitFor(() => one?.all('deliver_resp').length === 2 && other?.all('deliver_resp').length === 1);
    expect(one?.all('deliver_resp').map(({ body }) => body.msg_id)).toEqual(['0000000000000021', '0000000000000022']);
  });

  it('of which a part never comes is handed on after the time limit, marked incomplete', async () => {
    const { peer, uplinks } = await connect({}, { reassemblyMs: 50 });
    const msg_content = joinHeader({ reference: 7, part: 2, parts: 2 }, encodeUcs2('世界').octets);
    peer.current().deliver(1, { tp_udhi: 1, msg_fmt: 8, msg_content });
    await waitFor(() => uplinks().length === 1);
    expect(uplinks()[0]).toMatchObject({ text: '世界', incomplete: true });
  });

  it('that comes again is recognised by its outer id and acknowledged, stored once', async () => {
    const { peer, uplinks } = await connect({ sessions: 2 });
    const [one, other] = peer.connections;
    const uplink = { msg_id: '00000000000000c1', msg_content: Buffer.from('TD') };
    one?.deliver(1, uplink);
    other?.deliver(2, uplink);
    await waitFor(() => uplinks().length === 1);
    await settle(other as never);
    expect(other?.all('deliver_resp')).toEqual([]);
    uplinks()[0]?.ack();
    await waitFor(() => one?.all('deliver_resp').length === 1 && other?.all('deliver_resp').length === 1);
    one?.deliver(3, uplink);
    await waitFor(() => one?.all('deliver_resp').length === 2);
    one?.deliver(4, { ...uplink, msg_id: '00000000000000c2' });
    await waitFor(() => uplinks().length === 2);
    expect(uplinks()).toHaveLength(2);
  });

  it('without an id is taken each time', async () => {
    const { peer, uplinks } = await connect();
    const uplink = { msg_id: NO_MESSAGE_ID, msg_content: Buffer.from('1') };
    peer.current().deliver(1, uplink);
    peer.current().deliver(2, uplink);
    await waitFor(() => uplinks().length === 2);
    expect(uplinks()[0]?.mark).toBeUndefined();
  });

  it('that could not be stored is taken when it comes again', async () => {
    const { peer, uplinks } = await connect();
    const uplink = { msg_id: '00000000000000c1', msg_content: Buffer.from('TD') };
    peer.current().deliver(1, uplink);
    await waitFor(() => uplinks().length === 1);
    uplinks()[0]?.nack();
    peer.current().deliver(2, uplink);
    await waitFor(() => uplinks().length === 2);
    uplinks()[1]?.ack();
    await waitFor(() => peer.current().all('deliver_resp').length === 1);
    expect(peer.current().all('deliver_resp')[0]?.sequence).toBe(2);
  });
});
