// A report that came before its answer, or while the answer cannot be written, is kept until the answer is recorded: also when
// the customer's answers are quarantined, and also when the process ends meanwhile.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PduOf } from '../../../../src/channels/smpp/pdu.js';
import { type Peer, type PeerConnection, startPeer } from '../../../channels/smpp/peer.js';
import { awaitQuarantine, poison } from '../../../support/poison.js';
import { allOf, type Service, type ServiceCustomer, startService } from '../../../support/service.js';
import { until } from '../../../support/until.js';

const ID = 'm1';
let service: Service;
let peer: Peer;
let customer: ServiceCustomer;
let channelNo: string;
/** What the peer does with a part. */
let onSubmit: (pdu: PduOf<'submit_sm'>, connection: PeerConnection) => void;

beforeAll(async () => {
  peer = await startPeer((pdu, connection) => {
    if (pdu.command === 'submit_sm') onSubmit(pdu, connection);
    return pdu.command === 'submit_sm' || pdu.command === 'deliver_sm_resp';
  });
  service = await startService();
  const config = { host: '127.0.0.1', port: peer.port, system_id: 'test', password: 'secret' };
  const created = await service.operator.createChannel({ name: 'SMPP', kind: 'smpp', firms: ['cmcc'], config });
  channelNo = created.channel_no;
  await until('the channel is up', async () => (await service.operator.channel(channelNo)).health.state === 'up');
  customer = await service.addCustomer({ channelNos: [channelNo] });
});
afterAll(async () => {
  await service.stop();
  await peer.stop();
});

const answer = (pdu: PduOf<'submit_sm'>, { send }: PeerConnection) =>
  send('submit_sm_resp', 0, pdu.sequence, { message_id: `${ID}-${pdu.sequence}` });

function report({ body, sequence }: PduOf<'submit_sm'>, { deliver }: PeerConnection): void {
  const text = `id:${ID}-${sequence} sub:001 dlvrd:001 submit date:2611150000 done date:2611150000 stat:DELIVRD err:000 text:`;
  const addresses = { source_addr: body.destination_addr, destination_addr: body.source_addr };
  deliver(1000 + sequence, { ...addresses, esm_class: 0x04, short_message: Buffer.from(text) });
}

const answersTo = (sequence: number) =>
  peer.connections.flatMap((each) => each.all('deliver_sm_resp')).filter((pdu) => pdu.sequence === 1000 + sequence);

test.each([
  ['ahead of it', true],
  ['while it is quarantined', false],
])('a report that comes %s is recorded once its answer is, without coming again', async (_, isAhead) => {
  const submits: PduOf<'submit_sm'>[] = [];
  onSubmit = (pdu, connection) => {
    submits.push(pdu);
    if (!isAhead) return answer(pdu, connection);
    report(pdu, connection);
    void until('the report is stored', () => answersTo(pdu.sequence).length > 0).then(() => answer(pdu, connection));
  };
  const heal = await poison(service, 'submit', customer);
  const { task_no: taskNo } = await customer.send(['13800138000']);
  await awaitQuarantine(service, (items) => items.some(({ task_no, parts }) => task_no === taskNo && parts === 1));
  const [submit] = submits;
  if (submit === undefined) throw new Error('nothing was submitted');
  if (!isAhead) report(submit, peer.current());
  await until('the report is acknowledged', () => answersTo(submit.sequence).some(({ status }) => status === 0));
  // The answer fails at least once more, and the report with it.
  await awaitQuarantine(service, (items) => items.some(({ task_no, tries }) => task_no === taskNo && tries > 1));
  await heal();
  expect((await customer.completed(taskNo)).counts.delivered).toBe(1);
  expect(await allOf(customer.client.deliveries({ taskNo }))).toHaveLength(1);
  expect(await service.sql`select 1 from unmatched_report`).toHaveLength(0);
});

test('a report on a part that an earlier owner left on the wire is recorded once the loss of its answer is', async () => {
  const submits: PduOf<'submit_sm'>[] = [];
  onSubmit = (pdu, { socket }) => {
    submits.push(pdu);
    socket.destroy();
  };
  const heal = await poison(service, 'submit', customer);
  const { task_no: taskNo } = await customer.send(['13800138001']);
  await awaitQuarantine(service, (items) => items.some(({ task_no, parts }) => task_no === taskNo && parts === 1));
  const [submit] = submits;
  if (submit === undefined) throw new Error('nothing was submitted');
  const readToken = async () => {
    const [row] = await service.sql<{ token: bigint }[]>`
      select token from channel_heartbeat join channel using (channel_id) where channel_no = ${channelNo}`;
    return row?.token;
  };
  const before = await readToken();
  await service.operator.updateChannel(channelNo, { name: 'SMPP, renamed' });
  await until('the channel has a new lease', async () => (await readToken()) !== before);
  await until('it is up', async () => (await service.operator.channel(channelNo)).health.state === 'up');
  await awaitQuarantine(service, (items) => items.some(({ task_no, parts }) => task_no === taskNo && parts === 1));
  report(submit, peer.current());
  await until('the report is acknowledged', () => answersTo(submit.sequence).some(({ status }) => status === 0));
  expect(await service.sql`select 1 from unmatched_report`).toHaveLength(1);
  await heal();
  expect((await customer.completed(taskNo)).counts.delivered).toBe(1);
  expect(await service.sql`select 1 from unmatched_report`).toHaveLength(0);
});
