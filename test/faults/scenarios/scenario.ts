// Short plays with a fixed course, for bugs that a campaign would meet by luck only: real processes, a real database, and a
// message centre that does what the scenario says.

import type { Body, PduOf } from '../../../src/channels/smpp/pdu.js';
import { numericArray } from '../../../src/store/array-literal.js';
import type { Sql } from '../../../src/store/sql.js';
import { type Peer, type PeerScript, startPeer } from '../../channels/smpp/peer.js';
import { createChannels, createSender, type Sender } from '../../support/campaign.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { findLockWaits } from '../../support/lock-waits.js';
import { type CentreKind, type SpawnedService, spawnService } from '../../support/spawned.js';
import { until } from '../../support/until.js';
import type { Violation } from '../rules/rules.js';

export interface Stage {
  readonly database: TestDatabase;
  startService(env?: Readonly<Record<string, string>>): Promise<SpawnedService>;
  startPeer(script: PeerScript): Promise<Peer>;
  /** Called in reverse order at the end. */
  readonly closers: (() => unknown)[];
}

/** What was wrong; empty when nothing was. */
export type Scenario = (stage: Stage) => Promise<Violation[]>;

export interface ScenarioReport {
  readonly violations: readonly Violation[];
  readonly tookMs: number;
  /** Of all processes. */
  readonly log: string;
}

/** `root`: a copy of the build to run. */
export async function runScenario(scenario: Scenario, root?: string): Promise<ScenarioReport> {
  const startedAt = performance.now();
  const closers: (() => unknown)[] = [];
  const services: SpawnedService[] = [];
  try {
    const database = await createTestDatabase();
    closers.push(database.drop);
    const violations = await scenario({
      database,
      closers,
      async startService(env = {}) {
        const place = root === undefined ? {} : { root };
        const service = await spawnService({ databaseUrl: database.url, env, ...place });
        services.push(service);
        closers.push(() => service.end('SIGKILL'));
        return service;
      },
      async startPeer(script) {
        const peer = await startPeer(script);
        closers.push(peer.stop);
        return peer;
      },
    });
    const log = services.map((service) => service.log()).join('\n');
    return { violations, tookMs: Math.round(performance.now() - startedAt), log };
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

export interface ScenarioSender extends Sender {
  readonly channelNo: string;
}

/** A customer that sends through a channel of this kind. */
export async function createSenderOver(
  service: SpawnedService,
  kind: CentreKind,
  config: Readonly<Record<string, unknown>>,
): Promise<ScenarioSender> {
  const channelNos = await createChannels(service.url, [{ name: kind.toUpperCase(), kind, config }]);
  const sender = await createSender(service.url, channelNos, { name: 'Sender', chargeOn: 'delivery' });
  return { ...sender, channelNo: channelNos[0] ?? '' };
}

/** A customer that sends through an SMPP channel to this peer. */
export async function createSenderTo(peer: Peer, service: SpawnedService): Promise<ScenarioSender> {
  // Longer than any scenario takes: what is not answered is not given up meanwhile.
  const patience = { response_timeout_ms: 300_000 };
  const config = { host: '127.0.0.1', port: peer.port, system_id: 'test', password: 'secret', ...patience };
  return await createSenderOver(service, 'smpp', config);
}

/**
 * Runs `work` while nothing can be written to a table, until a statement of the service waits for it. Then the process is killed
 * and its connections end: what waits is never committed.
 */
export async function killBeforeCommit(
  sql: Sql,
  service: SpawnedService,
  table: 'receipt' | 'upstream_callback',
  work: () => void,
): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`lock table ${tx(table)} in share mode`;
    work();
    await until(`a write to ${table} waits`, async () => (await findLockWaits(sql)).length > 0);
    await service.end('SIGKILL');
    await until('nothing waits', async () => {
      const waiting = await findLockWaits(sql);
      await sql`select pg_terminate_backend(pid) from unnest(${numericArray(waiting)}::int[]) as w (pid)`;
      return waiting.length === 0;
    });
  });
}

/** The body of a delivery report on this part. */
export function reportOn({ body }: PduOf<'submit_sm'>, messageId: string): Partial<Body<'deliver_sm'>> {
  const text = `id:${messageId} sub:001 dlvrd:001 submit date:2611150000 done date:2611150000 stat:DELIVRD err:000 text:`;
  const addresses = { source_addr: body.destination_addr, destination_addr: body.source_addr };
  return { ...addresses, esm_class: 0x04, short_message: Buffer.from(text) };
}

/** The violation where this never comes true. */
export async function expectSoon(
  rule: string,
  look: () => Promise<boolean> | boolean,
  explain: () => Promise<string> | string,
  limitMs = 20_000,
): Promise<Violation[]> {
  const found = await until(rule, look, limitMs).catch(() => false);
  return found === false ? [{ rule, detail: await explain() }] : [];
}
