// Carriers repeat reports. One on a number that has left its first chunk, because it failed over or its grant was revoked, is recorded
// once, and sends, pauses and refunds nothing.

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Peer, type PeerScript, startPeer } from '../channels/smpp/peer.js';
import { allOf, type Service, startService } from '../support/service.js';
import { until } from '../support/until.js';

let service: Service;

beforeAll(async () => {
  service = await startService({ env: { POSTRIDER_RECEIPT_TIMEOUT: '10s' } });
});
afterAll(() => service.stop());

const TWO_PARTS = 'x'.repeat(200);
const ESME_RSUBMITFAIL = 0x45;

const accept: PeerScript = (pdu, { send }) => {
  if (pdu.command !== 'submit_sm') return pdu.command === 'deliver_sm_resp';
  send('submit_sm_resp', 0, pdu.sequence, { message_id: `B${pdu.sequence}` });
  return true;
};

/** Accepts everything, and reports each part when it is asked to. */
async function startReporting() {
  const peer = await startPeer(accept);
  let sequence = 1;
  const reportAll = async () => {
    const connection = peer.current();
    const before = connection.all('deliver_sm_resp').length;
    const submits = connection.all('submit_sm');
    for (const { sequence: submitted, body } of submits) {
      const text = `id:B${submitted} sub:001 dlvrd:001 submit date:2611190000 done date:2611190000 stat:DELIVRD err:000 text:`;
      const addresses = { source_addr: body.destination_addr, destination_addr: body.source_addr };
      connection.deliver(sequence++, { ...addresses, esm_class: 0x04, short_message: Buffer.from(text) });
    }
    // They are acknowledged once they are committed.
    await until(() => connection.all('deliver_sm_resp').length === before + submits.length);
  };
  return { peer, reportAll };
}

async function addSmpp(peer: Peer, more: object = {}): Promise<string> {
  onTestFinished(() => peer.stop());
  const config = { host: '127.0.0.1', port: peer.port, system_id: 'postrider', password: 'secret' };
  const { channel_no } = await service.operator.createChannel({
    name: 'SMPP',
    kind: 'smpp',
    firms: ['cmcc'],
    config,
    ...more,
  });
  await until(async () => (await service.operator.channel(channel_no)).health.state === 'up');
  return channel_no;
}

const readStates = async (customerNo: string) =>
  (
    await service.sql<{ states: string }[]>`
      select encode(c.part_states, 'hex') as states from chunk c join customer using (customer_id)
      where customer_no = ${customerNo} order by c.chunk_no`
  ).map(({ states }) => states);

async function checkRecords(): Promise<void> {
  const twice = await service.sql`
    select task_id, seq, part from submit where status = 'accepted' group by 1, 2, 3 having count(*) > 1`;
  expect(twice).toEqual([]);
  const reported =
    await service.sql`select task_id, seq, part from delivery_report group by 1, 2, 3 having count(*) > 1`;
  expect(reported).toEqual([]);
  expect(service.complaints.filter((line) => line.includes('lost commits'))).toEqual([]);
}

test('a grant that is revoked in the middle of a message, and granted again', async () => {
  const silent = await startPeer((pdu, { send }) => {
    if (pdu.command === 'submit_sm') send('submit_sm_resp', 0, pdu.sequence, { message_id: `A${pdu.sequence}` });
    return pdu.command === 'submit_sm';
  });
  const { peer, reportAll } = await startReporting();
  const first = await addSmpp(silent, { parts_per_second: 1 });
  const second = await addSmpp(peer);
  const customer = await service.addCustomer({ channelNos: [first], body: TWO_PARTS, refund_on_failure: true });
  const { task_no } = await customer.send(['13800700001', '13800700002', '13800700003']);
  // One part of the first number is accepted, the other is not sent.
  await until(async () => (await readStates(customer.customerNo))[0]?.startsWith('0200') === true);
  await service.operator.grantChannel(customer.customerNo, second);
  await service.operator.revokeGrant(customer.customerNo, first);
  await until(() => peer.submits().length === 4);
  await reportAll();
  await customer.taskWhen(task_no, ({ counts }) => counts.delivered === 2);
  await until(async () => (await readStates(customer.customerNo)).length === 1);
  await reportAll();
  expect(await customer.client.task(task_no)).toMatchObject({ stage: 'submitting', waits_for: 'channel' });

  // The message is completed on its channel, which never reports.
  await service.operator.grantChannel(customer.customerNo, first);
  const { counts, amounts } = await customer.completed(task_no);
  expect(counts).toMatchObject({ delivered: 2, expired: 1 });
  expect(amounts).toMatchObject({ charged: '0.300000', refunded: '0.100000' });
  const receipts = await allOf(customer.client.receipts({ taskNo: task_no }));
  expect(receipts.map(({ seq, result }) => `${seq} ${result}`).sort()).toEqual([
    '1 expired',
    '2 delivered',
    '3 delivered',
  ]);
  await checkRecords();
});

test('a message that fails over while another one keeps its chunk open', async () => {
  const refusing = await startPeer((pdu, { send }) => {
    if (pdu.command !== 'submit_sm') return false;
    const isRefused = pdu.body.destination_addr.endsWith('2');
    if (isRefused) send('submit_sm_resp', ESME_RSUBMITFAIL, pdu.sequence, { message_id: '' });
    else send('submit_sm_resp', 0, pdu.sequence, { message_id: `A${pdu.sequence}` });
    return true;
  });
  const { peer, reportAll } = await startReporting();
  const first = await addSmpp(refusing, { failover_codes: [String(ESME_RSUBMITFAIL), 'ESME_RSUBMITFAIL'] });
  const second = await addSmpp(peer);
  // The channel of a task is chosen by turns, so one of two starts on the first.
  const customer = await service.addCustomer({ channelNos: [first], body: TWO_PARTS });
  await service.operator.grantChannel(customer.customerNo, second);
  const tasks: string[] = [];
  while (peer.submits().length === 0 || tasks.length < 4) {
    tasks.push((await customer.send(['13800701001', '13800701002'])).task_no);
    await until(async () => (await customer.client.task(tasks.at(-1) ?? '')).counts.unsent === 0);
  }
  await reportAll();
  await until(async () => (await service.sql`select 1 from chunk where tried is not null`).length === 0);
  await reportAll();
  for (const taskNo of tasks) expect((await customer.completed(taskNo)).waits_for).toBeNull();
  await checkRecords();
});
