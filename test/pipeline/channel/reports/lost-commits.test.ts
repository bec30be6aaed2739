// A failover to a standby that was behind: the intent to send, or the answer, was committed and is no longer in the rows. What the
// upstream says of those parts is recorded, they are not sent again, and the alarm is raised.

import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Body, PduOf } from '../../../../src/channels/smpp/pdu.js';
import { PART } from '../../../../src/domain/chunk/chunk-state.js';
import { auditAll } from '../../../../src/store/money/audit-money.js';
import { type Peer, startPeer } from '../../../channels/smpp/peer.js';
import { allOf, type Service, type ServiceCustomer, startService } from '../../../support/service.js';
import { until } from '../../../support/until.js';

const COUNT = 5;
const PHONES = Array.from({ length: COUNT }, (_, at) => `1380013800${at}`);
const OTHER = '13800138099';

let service: Service;
let peer: Peer;
let channelNo: string;
let customer: ServiceCustomer;

beforeEach(async () => {
  // It answers when the test tells it to, and other messages at once.
  peer = await startPeer((pdu, { send }) => {
    if (pdu.command === 'submit_sm' && pdu.body.destination_addr === `86${OTHER}`) {
      send('submit_sm_resp', 0, pdu.sequence, { message_id: 'other' });
    }
    return pdu.command === 'submit_sm' || pdu.command === 'deliver_sm_resp';
  });
  service = await startService();
  const config = { host: '127.0.0.1', port: peer.port, system_id: 'test', password: 'secret' };
  const channel = await service.operator.createChannel({ name: 'SMPP', kind: 'smpp', firms: ['cmcc'], config });
  channelNo = channel.channel_no;
  await until('the channel is up', isUp);
  customer = await service.addCustomer({ channelNos: [channelNo] });
});
afterEach(async () => {
  await service.stop();
  await peer.stop();
});

const isUp = async () => (await service.operator.channel(channelNo)).health.state === 'up';

/** Sends to all numbers, and returns once the peer has their parts. */
async function sendAll(): Promise<{ taskNo: string; submits: PduOf<'submit_sm'>[] }> {
  const { task_no: taskNo } = await customer.send(PHONES);
  await until('the parts are with the peer', () => peer.submits().length === COUNT);
  return { taskNo, submits: peer.submits() };
}

const idOf = ({ sequence }: PduOf<'submit_sm'>) => `m${sequence}`;

function answer(submit: PduOf<'submit_sm'>, status = 0): void {
  peer.current().send('submit_sm_resp', status, submit.sequence, { message_id: status === 0 ? idOf(submit) : '' });
}

function report(submit: PduOf<'submit_sm'>): void {
  const text = `id:${idOf(submit)} sub:001 dlvrd:001 submit date:2611150000 done date:2611150000 stat:DELIVRD err:000 text:`;
  const { destination_addr, source_addr } = submit.body;
  const addresses: Partial<Body<'deliver_sm'>> = { source_addr: destination_addr, destination_addr: source_addr };
  peer.current().deliver(submit.sequence, { ...addresses, esm_class: 0x04, short_message: Buffer.from(text) });
}

const setParts = (state: number) =>
  service.sql`update chunk set part_states = ${Buffer.alloc(COUNT, state)} where octet_length(part_states) = ${COUNT}`;

/** The task as it stood before the answers were committed. */
const loseAnswers = (state: number) =>
  service.sql.begin(async (tx) => {
    await tx`update chunk set part_states = ${Buffer.alloc(COUNT, state)}, queue_no = 1, due_at = null, handed_over = false`;
    await tx`delete from submit`;
    await tx`delete from ledger_entry where type = 'charge'`;
    await tx`update task set awaiting = 0, charged = 0, stage = 'submitting'`;
    await tx`
      update account set frozen = e.frozen_after, available = e.available_after, entry_seq = e.seq
      from (select frozen_after, available_after, seq from ledger_entry order by seq desc limit 1) as e
      where account.entry_seq > 0`;
  });

/** Opens the channel again, as after a takeover, and lets another message through it. */
async function reopen(): Promise<void> {
  await service.operator.updateChannel(channelNo, { status: 'disabled' });
  await until('the channel is closed', () => peer.connections.every(({ isClosed }) => isClosed));
  await service.operator.updateChannel(channelNo, { status: 'active' });
  await until('the channel is up again', isUp);
  await customer.send([OTHER]);
  await until('another message is through', () => timesSent(`86${OTHER}`) > 0);
}

const timesSent = (to: string) => peer.submits().filter(({ body }) => body.destination_addr === to).length;
const timesSentEach = () => PHONES.map((phone) => timesSent(`86${phone}`));

async function lostCommits(): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(/^postrider_lost_commits_total (\d+)$/m.exec(text)?.[1]);
}

async function submitsOf(taskNo: string): Promise<string[]> {
  return (await allOf(customer.client.submits({ taskNo }))).map(({ status }) => status);
}

test('parts that were sent and read as unsent keep the answers of the upstream, and are not sent again', async () => {
  const { taskNo, submits } = await sendAll();
  await setParts(PART.unsent);
  for (const submit of submits) answer(submit);
  await customer.taskWhen(taskNo, ({ counts }) => counts.awaiting === COUNT);
  expect(await submitsOf(taskNo)).toEqual(Array(COUNT).fill('accepted'));
  await reopen();
  expect(timesSentEach()).toEqual(Array(COUNT).fill(1));
  for (const submit of submits) report(submit);
  expect((await customer.completed(taskNo)).counts.delivered).toBe(COUNT);
  expect(await auditAll(service.sql)).toEqual([]);
  expect(await lostCommits()).toBe(COUNT);
  expect(service.complaints.join()).toContain('the database has lost commits');
  await until(
    'the platform shows it',
    async () => (await service.operator.platform()).nodes[0]?.lost_commits === COUNT,
  );
});

test('other numbers that read as unsent are not sent until the task is resumed', async () => {
  const { taskNo, submits } = await sendAll();
  const [first, second] = submits;
  if (first === undefined || second === undefined) throw new Error('too little was submitted');
  for (const submit of submits) answer(submit);
  await customer.taskWhen(taskNo, ({ counts }) => counts.awaiting === COUNT);
  await loseAnswers(PART.unsent);
  report(second);
  await customer.taskWhen(taskNo, ({ waits_for }) => waits_for === 'resume');
  await reopen();
  expect(timesSentEach()).toEqual(Array(COUNT).fill(1));
  await customer.client.resumeTask(taskNo);
  await until('what is unsent goes', () => timesSent(first.body.destination_addr) === 2);
  peer.current().socket.destroy();
});

test('a refusal and a lost answer of parts that read as unsent are recorded, and those are not sent again', async () => {
  const { taskNo, submits } = await sendAll();
  await setParts(PART.unsent);
  for (const submit of submits.slice(1)) answer(submit, 0x0b);
  const paused = await customer.taskWhen(taskNo, ({ counts }) => counts.rejected === COUNT - 1);
  // What else the database shows as unsent may have been sent too.
  expect([paused.counts.unsent, paused.waits_for]).toEqual([1, 'resume']);
  // The first is not answered before the connection ends.
  peer.current().socket.destroy();
  await customer.taskWhen(taskNo, ({ counts }) => counts.unknown === 1);
  await until('the channel is up again', isUp);
  await reopen();
  expect(timesSentEach()).toEqual(Array(COUNT).fill(1));
  expect(await lostCommits()).toBe(COUNT);
});

test.each([
  ['unsent', PART.unsent],
  ['intended', PART.intended],
])('reports on parts whose answers were committed and that read as %s settle them', async (_, state) => {
  const { taskNo, submits } = await sendAll();
  for (const submit of submits) answer(submit);
  await customer.taskWhen(taskNo, ({ counts }) => counts.awaiting === COUNT);
  await loseAnswers(state);
  for (const submit of submits) report(submit);
  const { counts, amounts } = await customer.completed(taskNo);
  expect([counts.delivered, amounts.charged]).toEqual([COUNT, '0.250000']);
  expect(await submitsOf(taskNo)).toEqual(Array(COUNT).fill('accepted'));
  await reopen();
  expect(timesSentEach()).toEqual(Array(COUNT).fill(1));
  expect(await auditAll(service.sql)).toEqual([]);
  expect(await lostCommits()).toBe(COUNT);
});
