// A long message of which all answers are lost, and one report that came before: nobody can tell which part it is about.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Peer, type PeerScript, startPeer } from '../../channels/smpp/peer.js';
import { allOf, type Service, startService } from '../../support/service.js';
import { until } from '../../support/until.js';

let service: Service;
let peer: Peer;

/** Answers nothing. Reports the second part as soon as it comes, and cuts the connection when the report is acknowledged. */
const reportAndCut: PeerScript = (pdu, { deliver, all, socket }) => {
  if (pdu.command === 'submit_sm' && all('submit_sm').length === 2) {
    const text = 'id:m2 sub:001 dlvrd:001 submit date:2611150000 done date:2611150000 stat:DELIVRD err:000 text:';
    const { destination_addr, source_addr } = pdu.body;
    const addresses = { source_addr: destination_addr, destination_addr: source_addr };
    deliver(1, { ...addresses, esm_class: 0x04, short_message: Buffer.from(text) });
  }
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
  // Whatever took the report up would have recorded it by the time that another message is through.
  await until('the report is kept', async () => (await sql`select 1 from orphan_delivery`).length === 1);
  const other = await (await service.addCustomer()).send(['13800138001']);
  await until('another message is through', async () => {
    const [row] = await sql`select 1 from task where stage = 'completed'`;
    return row !== undefined && other.task_no !== '';
  });
  expect((await allOf(customer.client.submits())).map(({ status }) => status)).toEqual(['unknown', 'unknown']);
  expect(await sql`select 1 from orphan_delivery`).toHaveLength(1);
});
