// A long message whose answers are all lost, and one report: it is unknown which part it is about, even after one of them was resolved as
// not accepted.

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Body, PduOf } from '../../../../src/channels/smpp/pdu.js';
import { type Peer, type PeerScript, startPeer } from '../../../channels/smpp/peer.js';
import { allOf, type Service, startService } from '../../../support/service.js';
import { until } from '../../../support/until.js';

let service: Service;
let peer: Peer;

function reportOn({ body }: PduOf<'submit_sm'>, messageId: string): Partial<Body<'deliver_sm'>> {
  const text = `id:${messageId} sub:001 dlvrd:001 submit date:2611150000 done date:2611150000 stat:DELIVRD err:000 text:`;
  const addresses = { source_addr: body.destination_addr, destination_addr: body.source_addr };
  return { ...addresses, esm_class: 0x04, short_message: Buffer.from(text) };
}

/** Answers nothing. Reports the second part as soon as it comes, and cuts the connection when the report is acknowledged. */
const reportAndCut: PeerScript = (pdu, { deliver, all, socket }) => {
  if (pdu.command === 'submit_sm' && all('submit_sm').length === 2) deliver(1, reportOn(pdu, 'm2'));
  if (pdu.command === 'deliver_sm_resp') socket.destroy();
  return pdu.command === 'submit_sm' || pdu.command === 'deliver_sm_resp';
};

beforeAll(async () => {
  peer = await startPeer(reportAndCut);
  service = await startService({ env: { POSTRIDER_UNKNOWN_TIMEOUT: '1h' } });
});
afterAll(async () => {
  await service.stop();
  await peer.stop();
});

/** Answers nothing, and cuts the connection when both parts have come. */
const cutAfterBoth: PeerScript = (pdu, { all, socket }) => {
  if (pdu.command === 'submit_sm' && all('submit_sm').length === 2) socket.destroy();
  return pdu.command === 'submit_sm';
};

test('a report to a number of which a part was given up does not settle another one, and is kept', async () => {
  const { operator, sql } = service;
  const forgetful = await startPeer(cutAfterBoth);
  onTestFinished(() => forgetful.stop());
  const config = { host: '127.0.0.1', port: forgetful.port, system_id: 'test', password: 'secret' };
  const { channel_no } = await operator.createChannel({ name: 'Forgetful', kind: 'smpp', firms: ['cmcc'], config });
  const isUp = async () => (await operator.channel(channel_no)).health.state === 'up';
  await until('the channel is up', isUp);
  const customer = await service.addCustomer({ channelNos: [channel_no], body: 'A long text. '.repeat(20) });
  const { task_no } = await customer.send(['13800138002']);
  await customer.taskWhen(task_no, ({ stage }) => stage === 'submit_unknown');
  const isBound = () => forgetful.connections.some((each) => !each.isClosed && each.received.length > 0);
  await until('the channel is bound again', isBound);
  await sql`update unknown_part set deadline = now() where phone_key = 8613800138002 and part = 1`;
  await customer.taskWhen(task_no, ({ counts }) => counts.rejected === 1);
  const [first] = forgetful.submits();
  if (first === undefined) throw new Error('nothing was submitted');
  forgetful.current().deliver(7, reportOn(first, 'm1'));
  await until('the report is acknowledged', () => forgetful.current().all('deliver_sm_resp').length === 1);
  expect(await allOf(customer.client.deliveries())).toEqual([]);
  expect(await sql`select 1 from unmatched_report where message_id = 'm1'`).toHaveLength(1);
  const submits = await allOf(customer.client.submits());
  expect(submits.map(({ part, status }) => [part, status]).sort()).toEqual([
    [1, 'rejected'],
    [2, 'unknown'],
  ]);
});

test('a report to a number of which several parts are lost settles none of them, and is kept', async () => {
  const { operator, sql } = service;
  const config = {
    host: '127.0.0.1',
    port: peer.port,
    system_id: 'test',
    password: 'secret',
    reconnect_min_ms: 60_000,
  };
  const channel = await operator.createChannel({ name: 'SMPP', kind: 'smpp', firms: ['cmcc'], config });
  await until('the channel is up', async () => (await operator.channel(channel.channel_no)).health.state === 'up');
  const customer = await service.addCustomer({ channelNos: [channel.channel_no], body: 'A long text. '.repeat(20) });
  const { task_no } = await customer.send(['13800138000']);
  const task = await customer.taskWhen(task_no, ({ stage }) => stage === 'submit_unknown');
  expect(task.counts.unknown).toBe(1);
  // If the report had matched, it would be recorded by the time that another message is delivered.
  await until(
    'the report is kept',
    async () => (await sql`select 1 from unmatched_report where message_id = 'm2'`).length === 1,
  );
  const other = await (await service.addCustomer()).send(['13800138001']);
  await until('another message is through', async () => {
    const [row] = await sql`select 1 from task where stage = 'completed'`;
    return row !== undefined && other.task_no !== '';
  });
  expect((await allOf(customer.client.submits())).map(({ status }) => status)).toEqual(['unknown', 'unknown']);
  expect(await sql`select 1 from unmatched_report where message_id = 'm2'`).toHaveLength(1);
});
