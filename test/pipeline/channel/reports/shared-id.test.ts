// A carrier that gives several parts the same message id. The number that a report names decides which part it is about.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PduOf } from '../../../../src/channels/smpp/pdu.js';
import { type Peer, startPeer } from '../../../channels/smpp/peer.js';
import { allOf, type Service, type ServiceCustomer, startService } from '../../../support/service.js';
import { until } from '../../../support/until.js';

let service: Service;
let peer: Peer;
let customer: ServiceCustomer;
let id = '';
let submits: PduOf<'submit_sm'>[] = [];

beforeAll(async () => {
  peer = await startPeer((pdu, connection) => {
    if (pdu.command === 'submit_sm') {
      submits.push(pdu);
      connection.send('submit_sm_resp', 0, pdu.sequence, { message_id: id });
    }
    return pdu.command === 'submit_sm' || pdu.command === 'deliver_sm_resp';
  });
  service = await startService();
  const config = { host: '127.0.0.1', port: peer.port, system_id: 'test', password: 'secret' };
  const { channel_no } = await service.operator.createChannel({ name: 'SMPP', kind: 'smpp', firms: ['cmcc'], config });
  await until('the channel is up', async () => (await service.operator.channel(channel_no)).health.state === 'up');
  customer = await service.addCustomer({ channelNos: [channel_no], body: '{p1}' });
});
afterAll(async () => {
  await service.stop();
  await peer.stop();
});

/** Sends to these numbers, and once their answers are recorded, reports every part as delivered. */
async function sendAndReport(sharedId: string, phones: readonly string[], text: string, parts: number) {
  id = sharedId;
  submits = [];
  const { task_no: taskNo } = await customer.send(phones, { variable_values: { p1: text } });
  await until('the answers are recorded', async () => {
    const kept = await allOf(customer.client.submits({ taskNo }));
    return kept.filter(({ status }) => status === 'accepted').length === phones.length * parts;
  });
  for (const { body, sequence } of submits) {
    const report = `id:${id} sub:001 dlvrd:001 submit date:2611150000 done date:2611150000 stat:DELIVRD err:000 text:`;
    const addresses = { source_addr: body.destination_addr, destination_addr: body.source_addr };
    peer.current().deliver(1000 + sequence, { ...addresses, esm_class: 0x04, short_message: Buffer.from(report) });
  }
  await until('the reports are acknowledged', () => submits.every(({ sequence }) => isAcknowledged(1000 + sequence)));
  return taskNo;
}

function isAcknowledged(reported: number): boolean {
  const answers = peer.current().all('deliver_sm_resp');
  return answers.some(({ sequence, status }) => sequence === reported && status === 0);
}

test('reports of several numbers under one id each settle the number that they name', async () => {
  const phones = ['13800138001', '13800138002', '13800138003'];
  const taskNo = await sendAndReport('shared', phones, 'short', 1);
  expect((await customer.completed(taskNo)).counts.delivered).toBe(3);
  expect(await service.sql`select 1 from unmatched_report`).toHaveLength(0);
});

test('of two reports of one number under one id the second is a repetition, and the other part stays without a report', async () => {
  const taskNo = await sendAndReport('parts', ['13800138004'], 'a long text '.repeat(20), 2);
  const deliveries = await allOf(customer.client.deliveries({ taskNo }));
  expect(deliveries.map(({ part, status }) => [part, status])).toEqual([[2, 'delivered']]);
  expect((await customer.client.task(taskNo)).counts.awaiting).toBe(1);
  expect(await service.sql`select 1 from unmatched_report`).toHaveLength(0);
});
