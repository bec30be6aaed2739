// What handsets write, whether a customer has the address or nobody: stored once however often the carrier sends it, and in
// its order; what came of a long message that never came whole is marked.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Peer, startPeer } from '../../channels/smpp/peer.js';
import { allOf, type Service, type ServiceCustomer, startService } from '../../support/service.js';
import { until } from '../../support/until.js';

let peer: Peer;
let service: Service;
let customer: ServiceCustomer;
let sequence = 0;

beforeAll(async () => {
  peer = await startPeer((pdu) => pdu.command === 'deliver_sm_resp');
  service = await startService();
  const settings = { host: '127.0.0.1', port: peer.port, system_id: 'test', password: 'secret', reassembly_ms: 100 };
  const { channel_no } = await service.operator.createChannel({
    name: 'SMPP',
    kind: 'smpp',
    firms: ['cmcc'],
    config: settings,
  });
  await until('the channel is up', async () => (await service.operator.channel(channel_no)).health.state === 'up');
  customer = await service.addCustomer({ channelNos: [channel_no] });
});
afterAll(async () => {
  await service.stop();
  await peer.stop();
});

/** Messages in one breath, before any of them is acknowledged, and the end of it. */
async function deliver(to: string, messages: readonly (readonly [from: string, octets: Buffer, esmClass?: number])[]) {
  for (const [from, short_message, esm_class = 0] of messages) {
    sequence += 1;
    peer.current().deliver(sequence, { source_addr: from, destination_addr: to, esm_class, short_message });
  }
  await until('all are acknowledged', () => peer.current().all('deliver_sm_resp').length === sequence);
}

const words = (from: string, text: string) => [from, Buffer.from(text)] as const;
/** One segment of three. */
const segment = (from: string, at: number, text: string) =>
  [from, Buffer.concat([Buffer.of(5, 0, 3, 7, 3, at), Buffer.from(text)]), 0x40] as const;

const unclaimed = async () => (await allOf(service.operator.unclaimedUplinks())).map(({ content }) => content);
const claimed = async () => (await allOf(customer.client.uplinks())).map(({ content }) => content);

test.each([
  ['a customer has the address', () => customer.sender, claimed],
  ['nobody has the address', () => '4711', unclaimed],
])('where %s, what is sent again is stored once, and what is said again is not lost', async (_, to, read) => {
  const from = '8613800138000';
  await deliver(to(), [words(from, 'STOP'), words(from, 'STOP'), words(from, 'START'), words(from, 'STOP')]);
  await deliver(to(), [words(from, 'STOP'), words('8613800138001', 'STOP')]);
  expect(await read()).toEqual(['STOP', 'START', 'STOP', 'STOP']);
});

test('said again after a minute, it is another message', async () => {
  const from = '8613800138005';
  await deliver('4712', [words(from, 'Again')]);
  await service.sql`update unclaimed_uplink set received_at = now() - interval '61 seconds' where sender = ${from}`;
  await deliver('4712', [words(from, 'Again')]);
  expect((await unclaimed()).filter((content) => content === 'Again')).toHaveLength(2);
});

test('a message of which parts never came is marked as incomplete', async () => {
  const from = '8613800138009';
  await deliver('4711', [segment(from, 1, 'one '), segment(from, 3, 'three'), words(from, 'whole')]);
  const told = (await allOf(service.operator.unclaimedUplinks())).filter(({ sender }) => sender === from);
  expect(told.map(({ content, incomplete }) => [content, incomplete]).sort()).toEqual([
    ['one three', true],
    ['whole', false],
  ]);
  await deliver(customer.sender, [segment(from, 1, 'one '), segment(from, 2, 'two ')]);
  const rows = await service.sql`select content, incomplete from uplink where phone = ${from}`;
  expect(rows).toMatchObject([{ content: 'one two ', incomplete: true }]);
});
