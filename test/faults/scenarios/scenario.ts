// Short plays with a fixed course, for bugs that a campaign would meet by luck only: real processes, a real database, and a
// message centre that does what the scenario says.

import { type Peer, type PeerScript, startPeer } from '../../channels/smpp/peer.js';
import { createChannels, createSender, type Sender } from '../../support/campaign.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { type SpawnedService, spawnService } from '../../support/spawned.js';
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

/** A customer that sends through an SMPP channel to this peer. */
export async function createSenderTo(peer: Peer, service: SpawnedService): Promise<Sender & { channelNo: string }> {
  // Longer than any scenario takes: what is not answered is not given up meanwhile.
  const patience = { response_timeout_ms: 300_000 };
  const config = { host: '127.0.0.1', port: peer.port, system_id: 'test', password: 'secret', ...patience };
  const channelNos = await createChannels(service.url, [{ name: 'SMPP', kind: 'smpp', config }]);
  const sender = await createSender(service.url, channelNos, { name: 'Sender', chargeOn: 'delivery' });
  return { ...sender, channelNo: channelNos[0] ?? '' };
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
