// What handsets write, whether a customer has the address or none: stored once however often the carrier sends it, as often as it
// is said, and in its order; a long message that never came whole is marked.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Peer, startPeer } from '../../../channels/smpp/peer.js';
import { allOf, type Service, type ServiceCustomer, startService } from '../../../support/service.js';
import { until } from '../../../support/until.js';

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
  ['no account has the address', () => '4711', unclaimed],
])('where %s, the same words said again are another message', async (_, to, read) => {
  const from = '8613800138000';
  // In one breath, and after the first are acknowledged.
  await deliver(to(), [words(from, '1'), words(from, '1')]);
  await deliver(to(), [words(from, '1'), words('8613800138001', '1')]);
  expect(await read()).toEqual(['1', '1', '1', '1']);
});

describe('where a customer of another carrier has the same address', () => {
  let other: ServiceCustomer;
  beforeAll(async () => {
    other = await service.addCustomer({ body: 'Hi' });
    const account = { name: 'Same address', sender: customer.sender };
    const { service_account_no } = await service.operator.createServiceAccount(other.customerNo, account);
    for (const phone of ['13800138021', '13800138022']) {
      await other.completed((await other.send([phone], { service_account_no })).task_no);
    }
  });
  const ownersOf = async (phone: string) => {
    const lists = await Promise.all(
      [customer, other].map(async ({ client }) => await allOf(client.uplinks({ phone }))),
    );
    return lists.map((items) => items.length);
  };

  test('a message belongs to the customer of the channel, also if the other one sent to the handset', async () => {
    await deliver(customer.sender, [words('8613800138020', 'first'), words('8613800138021', 'reply')]);
    expect(await ownersOf('13800138020')).toEqual([1, 0]);
    expect(await ownersOf('13800138021')).toEqual([1, 0]);
  });

  test('a reply to what was sent through the channel belongs to who sent it, also without the grant', async () => {
    await service.sql`
      update submit set channel_id = (select max(channel_id) from channel where kind = 'smpp')
      where phone_key = 8613800138022`;
    await deliver(customer.sender, [words('8613800138022', 'reply')]);
    expect(await ownersOf('13800138022')).toEqual([0, 1]);
  });
});

/** The same PDU again, and its acknowledgement. */
async function deliverAgain(to: string, from: string, text: string, at: number): Promise<void> {
  const connection = peer.current();
  const before = connection.all('deliver_sm_resp').length;
  connection.deliver(at, { source_addr: from, destination_addr: to, short_message: Buffer.from(text) });
  await until('it is acknowledged', () => connection.all('deliver_sm_resp').length > before);
}

const answeredBy = async (from: string) =>
  (await allOf(service.operator.unclaimedUplinks())).filter(({ sender }) => sender === from).length;

test('the same number on the same session is the same message', async () => {
  const from = '8613800138006';
  for (const at of [5001, 5001]) await deliverAgain('4711', from, 'yes', at);
  expect(await answeredBy(from)).toBe(1);
  await deliverAgain('4711', from, 'yes', 5002);
  expect(await answeredBy(from)).toBe(2);
});

test('what comes again after its session ended is the same message, until a minute later', async () => {
  const from = '8613800138007';
  await deliverAgain('4711', from, 'yes', 1);
  const cutAndDeliver = async () => {
    const cut = peer.current();
    cut.socket.destroy();
    await until('another session is bound', () =>
      peer.connections.some((each) => !each.isClosed && each !== cut && each.received.length > 0),
    );
    sequence = 0;
    await deliverAgain('4711', from, 'yes', 1);
  };
  await cutAndDeliver();
  expect(await answeredBy(from)).toBe(1);
  await service.sql`update unclaimed_uplink set received_at = now() - interval '61 seconds' where sender = ${from}`;
  await cutAndDeliver();
  expect(await answeredBy(from)).toBe(2);
});

test('a long message that its handset numbered is stored once, and another of the same words again', async () => {
  const from = '8613800138008';
  const long = (reference: number) =>
    [1, 2].map(
      (at) => [from, Buffer.concat([Buffer.of(5, 0, 3, reference, 2, at), Buffer.from('part ')]), 0x40] as const,
    );
  const before = peer.current().all('deliver_sm_resp').length;
  sequence = before;
  await deliver('4711', [...long(1), ...long(2), ...long(1)]);
  expect(await answeredBy(from)).toBe(2);
});

test('a message of which parts never came is marked as incomplete', async () => {
  const from = '8613800138009';
  await deliver('4711', [segment(from, 1, 'one '), segment(from, 3, 'three'), words(from, 'whole')]);
  const found = (await allOf(service.operator.unclaimedUplinks())).filter(({ sender }) => sender === from);
  expect(found.map(({ content, incomplete }) => [content, incomplete]).sort()).toEqual([
    ['one three', true],
    ['whole', false],
  ]);
  await deliver(customer.sender, [segment(from, 1, 'one '), segment(from, 2, 'two ')]);
  const rows = await service.sql`select content, incomplete from uplink where phone = ${from}`;
  expect(rows).toMatchObject([{ content: 'one two ', incomplete: true }]);
});
