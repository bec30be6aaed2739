// An unmatched report was stored, and the process ended before its part was known: the next owner of the channel finds the part.

import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import type { Body, PduOf } from '../../src/channels/smpp/pdu.js';
import { type Peer, type PeerScript, startPeer } from '../channels/smpp/peer.js';
import { checkBooks, createChannels, createSender, sendNumbers } from '../support/campaign.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { buildCode } from '../support/service-process.js';
import { type SpawnedService, spawnService } from '../support/spawned.js';
import { tell } from '../support/tell.js';
import { until } from '../support/until.js';

const closers: (() => Promise<unknown>)[] = [];
let database: TestDatabase;
let peer: Peer;

function reportOn({ body }: PduOf<'submit_sm'>, messageId: string): Partial<Body<'deliver_sm'>> {
  const text = `id:${messageId} sub:001 dlvrd:001 submit date:2611150000 done date:2611150000 stat:DELIVRD err:000 text:`;
  const addresses = { source_addr: body.destination_addr, destination_addr: body.source_addr };
  return { ...addresses, esm_class: 0x04, short_message: Buffer.from(text) };
}

/** Answers the first part and never reports it; reports the second and never answers it. */
const halfDeaf: PeerScript = (pdu, { send, deliver, all }) => {
  if (pdu.command !== 'submit_sm') return pdu.command === 'deliver_sm_resp';
  if (all('submit_sm').length === 1) send('submit_sm_resp', 0, pdu.sequence, { message_id: 'first' });
  else deliver(1, reportOn(pdu, 'second'));
  return true;
};

beforeAll(async () => {
  await buildCode();
  database = await createTestDatabase();
  closers.push(database.drop);
  peer = await startPeer(halfDeaf);
  closers.push(peer.stop);
});
afterAll(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startProcess(): Promise<SpawnedService> {
  const service = await spawnService({ databaseUrl: database.url, env: { POSTRIDER_UNKNOWN_TIMEOUT: '1h' } });
  closers.push(() => service.end('SIGKILL'));
  onTestFailed(() => tell(service.log()));
  return service;
}

test('a part that was accepted, and one whose answer was lost, get the reports that were kept when the process ended', async () => {
  const { sql } = database;
  const first = await startProcess();
  const config = { host: '127.0.0.1', port: peer.port, system_id: 'test', password: 'secret' };
  const channels = await createChannels(first.url, [{ name: 'SMPP', kind: 'smpp', config }]);
  const sender = await createSender(first.url, channels, { name: 'Sender' });
  await sendNumbers(first.url, sender, { count: 1, taskSize: 1, name: 'accepted' });
  await until('the answer is recorded', async () => (await sql`select 1 from submit`).length === 1);
  await sendNumbers(first.url, sender, { count: 1, first: 1, taskSize: 1, name: 'lost' });
  await until('the report is acknowledged', () =>
    peer.connections.some((each) => each.all('deliver_sm_resp').length > 0),
  );
  await first.end('SIGKILL');
  // As if the process had ended after it recorded the answer, and before it took up the report that had come first.
  await sql`
    insert into unmatched_report (channel_id, message_key, message_id, status, code)
    select channel_id, 'first', 'first', 'delivered', 'DELIVRD' from channel`;
  await startProcess();
  const isDone = async () => (await sql`select 1 from task where stage = 'completed' and delivered = 1`).length === 2;
  await until('both numbers have their receipts', isDone, 30_000);
  await checkBooks(sql, 2);
  expect(await sql`select 1 from unmatched_report`).toHaveLength(0);
  expect(await sql`select 1 from unknown_part`).toHaveLength(0);
});
