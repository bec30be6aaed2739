// What comes from the peer: acknowledged when stored, given back when not, joined when in segments, never dropped.
import { afterEach, describe, expect, it } from 'vitest';
import type { Feedback } from '../../../src/channels/channel.js';
import { encodeUcs2 } from '../../../src/channels/smpp/charset.js';
import { EMPTY_MESSAGE, STATUS } from '../../../src/channels/smpp/pdu.js';
import { acceptAll, createPart, openChannel, type Peer, startPeer, submitAll, waitFor } from './peer.js';

const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function connect(over: Parameters<typeof openChannel>[1] = {}) {
  const peer = await startPeer(acceptAll);
  opened.push({ close: () => peer.stop() });
  const { channel, feedback } = await openChannel(peer.port, over);
  opened.push(channel);
  return { peer, channel, feedback };
}

const answers = (peer: Peer) =>
  peer.connections.flatMap((each) => each.all('deliver_sm_resp')).map(({ sequence, status }) => [sequence, status]);

const HANDSET = { source_addr: '8613800138000', destination_addr: '10690' };
const RECEIPT = { ...HANDSET, esm_class: 4, short_message: Buffer.from('id:1 stat:DELIVRD err:000') };

function segment(part: number, parts: number, text: string | Buffer, reference = 7) {
  const body = typeof text === 'string' ? Buffer.from(text) : text;
  const message = Buffer.concat([Buffer.of(5, 0, 3, reference, parts, part), body]);
  return { ...HANDSET, esm_class: 0x40, short_message: message };
}

const strip = ({ ack, nack, ...rest }: Feedback) => rest;

describe('a receipt', () => {
  it('is acknowledged only when it has been stored', async () => {
    const { peer, feedback } = await connect();
    peer.current().deliver(7, RECEIPT);
    await waitFor(() => feedback.length === 1);
    peer.current().send('enquire_link', 0, 8);
    await waitFor(() => peer.current().all('enquire_link_resp').length === 1);
    expect(answers(peer)).toEqual([]);
    feedback[0]?.ack();
    feedback[0]?.nack();
    await waitFor(() => answers(peer).length === 1);
    expect(answers(peer)).toEqual([[7, STATUS.ESME_ROK]]);
  });

  it('that could not be stored is given back for the carrier to send again', async () => {
    const { peer, feedback } = await connect();
    peer.current().deliver(7, RECEIPT);
    await waitFor(() => feedback.length === 1);
    feedback[0]?.nack();
    await waitFor(() => answers(peer).length === 1);
    expect(answers(peer)).toEqual([[7, STATUS.ESME_RX_T_APPN]]);
  });

  it('carries id, status, code and the handset’s number', async () => {
    const { peer, feedback } = await connect();
    peer.current().deliver(7, { ...RECEIPT, source_addr: '+8613800138000' });
    await waitFor(() => feedback.length === 1);
    expect(feedback.map(strip)).toEqual([
      { kind: 'report', messageId: '1', phone: '8613800138000', status: 'delivered', code: 'DELIVRD' },
    ]);
  });

  it('whose addresses were not turned round still names the handset', async () => {
    const { peer, feedback } = await connect();
    peer.current().deliver(7, { ...RECEIPT, source_addr: 'Postrider', destination_addr: '8613800138000' });
    await waitFor(() => feedback.length === 1);
    expect(feedback[0]).toMatchObject({ phone: '8613800138000' });
  });

  it('is read as ASCII, whatever the default alphabet is', async () => {
    const { peer, feedback } = await connect();
    peer.current().deliver(7, { ...RECEIPT, short_message: Buffer.from('id:ab_c@d stat:DELIVRD') });
    await waitFor(() => feedback.length === 1);
    expect(feedback[0]).toMatchObject({ messageId: 'ab_c@d' });
  });

  it('may come before the answer, on another session, and twice', async () => {
    const { peer, channel, feedback } = await connect({ sessions: 2 });
    const [first, second] = peer.connections;
    second?.deliver(1, RECEIPT);
    first?.deliver(1, RECEIPT);
    await waitFor(() => feedback.length === 2);
    for (const each of feedback) each.ack();
    await submitAll(channel, [createPart()]);
    await waitFor(() => answers(peer).length === 2);
    expect(answers(peer)).toEqual([
      [1, STATUS.ESME_ROK],
      [1, STATUS.ESME_ROK],
    ]);
  });

  it('may come as data_sm with the text in message_payload', async () => {
    const { peer, feedback } = await connect();
    const { short_message: text, ...rest } = RECEIPT;
    const { service_type, source_addr_ton, source_addr_npi, dest_addr_ton, dest_addr_npi } = EMPTY_MESSAGE;
    const fields = { service_type, source_addr_ton, source_addr_npi, dest_addr_ton, dest_addr_npi };
    peer
      .current()
      .send('data_sm', 0, 9, { ...fields, ...rest, registered_delivery: 0, data_coding: 0 }, { message_payload: text });
    await waitFor(() => feedback.length === 1);
    expect(feedback[0]).toMatchObject({ kind: 'report', messageId: '1', status: 'delivered' });
    feedback[0]?.ack();
    await waitFor(() => peer.current().all('data_sm_resp').length === 1);
    expect(peer.current().all('data_sm_resp')).toMatchObject([{ sequence: 9, status: 0 }]);
  });

  it('with octets that no database takes is handed on without them', async () => {
    const { peer, feedback } = await connect();
    const text = 'id:1\0\x1b2 done date:2611140931 stat:UNDELIV\0 err:04\x005';
    peer.current().deliver(1, { ...RECEIPT, short_message: Buffer.from(text, 'latin1') });
    peer.current().deliver(2, { ...RECEIPT, data_coding: 8, short_message: encodeUcs2('id:7\ud83d stat:\0 err:\0') });
    await waitFor(() => feedback.length === 2);
    expect(feedback.map(strip)).toMatchObject([
      { kind: 'report', messageId: '12', status: 'undelivered', code: 'UNDELIV:045' },
      { kind: 'report', messageId: '7\ufffd', status: 'intermediate' },
    ]);
    for (const each of feedback) expect(each.kind === 'report' && /^[\x21-\x7e]+$/.test(each.code)).toBe(true);
  });

  it('is no longer than a receipt can be', async () => {
    const { peer, feedback } = await connect();
    const text = `id:${'7'.repeat(300)} stat:${'X'.repeat(300)} err:000`;
    peer.current().deliver(1, { ...RECEIPT }, { message_payload: Buffer.from(text) });
    peer.current().deliver(2, { ...RECEIPT, short_message: Buffer.alloc(0) }, { message_payload: Buffer.from(text) });
    await waitFor(() => feedback.length === 2);
    expect(feedback[1]).toMatchObject({ messageId: '7'.repeat(64), code: 'X'.repeat(64) });
  });

  it('that echoes the reference of a part names it, if the number agrees', async () => {
    const { peer, channel, feedback } = await connect({ user_message_reference: true });
    await submitAll(channel, [createPart({ reference: 'ours' })]);
    const sent = peer.submits()[0]?.tlvs.user_message_reference;
    expect(sent).toBeTypeOf('number');
    peer.current().deliver(1, RECEIPT, { user_message_reference: sent ?? 0 });
    peer.current().deliver(2, { ...RECEIPT, source_addr: '8613999999999' }, { user_message_reference: sent ?? 0 });
    await waitFor(() => feedback.length === 2);
    expect(feedback.map((each) => each.reference)).toEqual(['ours', undefined]);
  });
});

describe('an uplink', () => {
  it('is text in whatever coding it came', async () => {
    const { peer, feedback } = await connect();
    peer
      .current()
      .deliver(1, { ...HANDSET, source_addr: '+8613800138000', short_message: Buffer.of(0x05, 0x1b, 0x65) });
    peer.current().deliver(2, { ...HANDSET, data_coding: 8, short_message: encodeUcs2('退订') });
    peer.current().deliver(3, HANDSET, { message_payload: Buffer.from('payload') });
    await waitFor(() => feedback.length === 3);
    const common = { kind: 'uplink', from: '8613800138000', to: '10690' };
    expect(feedback.map(strip)).toMatchObject([
      { ...common, text: 'é€', arrival: { sequence: 1 } },
      { ...common, text: '退订', arrival: { sequence: 2 } },
      { ...common, text: 'payload', arrival: { sequence: 3 } },
    ]);
  });

  it('is what a handset writes, even when it reads like a receipt', async () => {
    const { peer, feedback } = await connect();
    const text = 'id:1 sub:001 dlvrd:001 stat:DELIVRD err:000';
    peer.current().deliver(1, { ...HANDSET, short_message: Buffer.from(text) });
    await waitFor(() => feedback.length === 1);
    expect(feedback[0]).toMatchObject({ kind: 'uplink', text });
  });

  it('that reads like a receipt is one where the carrier marks none', async () => {
    const { peer, feedback } = await connect({ receipts: 'by_text' });
    const text = 'id:1 sub:001 dlvrd:001 stat:DELIVRD err:000';
    peer.current().deliver(1, { ...HANDSET, short_message: Buffer.from(text) });
    await waitFor(() => feedback.length === 1);
    expect(feedback[0]).toMatchObject({ kind: 'report', messageId: '1', status: 'delivered' });
  });

  it('that says which message it answers keeps its text', async () => {
    const { peer, feedback } = await connect();
    peer.current().deliver(1, { ...HANDSET, short_message: Buffer.from('thanks') }, { receipted_message_id: '77' });
    await waitFor(() => feedback.length === 1);
    expect(feedback[0]).toMatchObject({ kind: 'uplink', text: 'thanks' });
  });

  it('loses what no database takes, and keeps its lines', async () => {
    const { peer, feedback } = await connect();
    const text = 'one\r\n\ttwo\0\x1b[31m \ud83d😀';
    peer.current().deliver(1, { ...HANDSET, data_coding: 8, short_message: encodeUcs2(text) });
    await waitFor(() => feedback.length === 1);
    expect(feedback[0]).toMatchObject({ kind: 'uplink', text: 'one\r\n\ttwo[31m \ufffd😀' });
  });

  it('in segments is joined in any order and over sessions, and acknowledged when the whole is stored', async () => {
    const { peer, feedback } = await connect({ sessions: 2 });
    const [first, second] = peer.connections;
    first?.deliver(1, segment(3, 3, 'three'));
    second?.deliver(2, segment(1, 3, 'one '));
    first?.deliver(3, segment(1, 2, 'other', 8));
    // The carrier grew impatient and sent one again: both copies are answered.
    first?.deliver(4, segment(3, 3, 'three'));
    first?.deliver(5, segment(2, 3, 'two '));
    await waitFor(() => feedback.length === 1);
    expect(answers(peer)).toEqual([]);
    expect(feedback.map(strip)).toEqual([
      { kind: 'uplink', from: '8613800138000', to: '10690', text: 'one two three', mark: 'long 7' },
    ]);
    feedback[0]?.ack();
    await waitFor(() => answers(peer).length === 4);
    expect(answers(peer).sort()).toEqual([1, 2, 4, 5].map((sequence) => [sequence, STATUS.ESME_ROK]));
  });

  it('is joined before it is read, as carriers split characters', async () => {
    const { peer, feedback } = await connect();
    const octets = encodeUcs2('好😀');
    peer.current().deliver(1, { ...segment(1, 2, octets.subarray(0, 4)), data_coding: 8 });
    peer.current().deliver(2, { ...segment(2, 2, octets.subarray(4)), data_coding: 8 });
    await waitFor(() => feedback.length === 1);
    expect(feedback[0]).toMatchObject({ text: '好😀' });
  });

  it('by SAR parameters is joined too', async () => {
    const { peer, feedback } = await connect();
    for (const part of [2, 1]) {
      const tlvs = { sar_msg_ref_num: 300, sar_total_segments: 2, sar_segment_seqnum: part };
      peer.current().deliver(part, { ...HANDSET, short_message: Buffer.from(`p${part}`) }, tlvs);
    }
    await waitFor(() => feedback.length === 1);
    expect(feedback[0]).toMatchObject({ text: 'p1p2' });
  });

  it('of which a segment never comes is handed on after the time limit, marked incomplete', async () => {
    const { peer, feedback } = await connect({ reassembly_ms: 60 });
    peer.current().deliver(1, segment(1, 3, 'one '));
    peer.current().deliver(2, segment(3, 3, 'three'));
    await waitFor(() => feedback.length === 1);
    expect(feedback.map(strip)).toMatchObject([{ text: 'one three', incomplete: true }]);
    feedback[0]?.ack();
    await waitFor(() => answers(peer).length === 2);
  });

  it('in segments can be acknowledged at once, for carriers that wait for it', async () => {
    const { peer, feedback } = await connect({ uplink_ack: 'received' });
    peer.current().deliver(1, segment(1, 2, 'a'));
    await waitFor(() => answers(peer).length === 1);
    peer.current().deliver(2, segment(2, 2, 'b'));
    await waitFor(() => feedback.length === 1);
    expect(feedback[0]).toMatchObject({ text: 'ab' });
  });

  it('whose segments are held when the channel closes is given back', async () => {
    const { peer, channel } = await connect();
    const connection = peer.current();
    connection.deliver(1, segment(1, 2, 'a'));
    connection.send('enquire_link', 0, 5);
    await waitFor(() => connection.all('enquire_link_resp').length === 1);
    await channel.close();
    expect(answers(peer)).toEqual([[1, STATUS.ESME_RX_T_APPN]]);
  });
});

describe('a flood', () => {
  it('beyond what may wait to be stored is turned away for the carrier to send again', async () => {
    const { peer, feedback } = await connect();
    for (let sequence = 1; sequence <= 2_100; sequence += 1) peer.current().deliver(sequence, RECEIPT);
    await waitFor(() => answers(peer).length === 100);
    expect(feedback).toHaveLength(2_000);
    expect(new Set(answers(peer).map(([, status]) => status))).toEqual(new Set([STATUS.ESME_RMSGQFUL]));
    for (const each of feedback) each.ack();
    await waitFor(() => answers(peer).length === 2_100);
  });

  it('of first segments whose messages never end holds no receipt up', async () => {
    const { peer, channel, feedback } = await connect({ reassembly_ms: 600_000 });
    channel.onFeedback((each) => {
      feedback.push(each);
      if (each.kind === 'uplink') each.ack();
    });
    const peerNow = peer.current();
    for (let index = 0; index < 2_500; index += 1) {
      const source = `86139${String(index).padStart(8, '0')}`;
      peerNow.deliver(index + 1, { ...segment(1, 2, 'never'), source_addr: source });
    }
    peerNow.deliver(9_999, RECEIPT);
    await waitFor(() => feedback.some((each) => each.kind === 'report'));
    expect(answers(peer).filter(([, status]) => status !== STATUS.ESME_ROK)).toEqual([]);
  });

  it('and a listener that throws cost no session', async () => {
    const { peer, channel } = await connect();
    channel.onFeedback(() => {
      throw new Error('no');
    });
    peer.current().deliver(1, RECEIPT);
    await waitFor(() => answers(peer).length === 1);
    expect(answers(peer)).toEqual([[1, STATUS.ESME_RX_T_APPN]]);
    expect(channel.health().state).toBe('up');
  });
});
