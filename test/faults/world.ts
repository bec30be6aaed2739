// All that a campaign runs: a database, a few nodes with mixed roles, message centres, and the customers' channels to them.

import { mkdirSync, rmSync } from 'node:fs';
import { PostriderClient } from '@postrider/client';
import { createChannels, operatorAt } from '../support/campaign.js';
import type { CentreKind } from '../support/spawned.js';
import { until } from '../support/until.js';
import type { Dice } from './dice.js';
import type { History } from './history.js';
import { type CrowdCustomer, createCrowd } from './load/crowd.js';
import { type CampaignCustomer, createCustomers } from './load/customers.js';
import { createRuled, type RuledCustomer } from './load/ruled.js';
import { startApiBalancer } from './world/api-balancer.js';
import { chooseKinds, WINDOW } from './world/carriers.js';
import { type CampaignCentre, startCentre } from './world/centre.js';
import { type DatabaseServer, startDatabaseServer } from './world/database-server.js';
import { type ServiceNode, startNode } from './world/node.js';
import { type CampaignReceiver, startCampaignReceiver } from './world/receiver.js';

export interface World {
  readonly database: DatabaseServer;
  readonly nodes: readonly ServiceNode[];
  readonly centres: readonly CampaignCentre[];
  readonly receiver: CampaignReceiver;
  readonly customers: readonly CampaignCustomer[];
  readonly crowd: readonly CrowdCustomer[];
  readonly ruled: RuledCustomer;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly seed: number;
  readonly dice: Dice;
  readonly history: History;
  /** For the journals. */
  readonly folder: string;
  /** Of the message centres; the seed chooses them where nothing is said. */
  readonly kinds?: readonly CentreKind[];
  /** A copy of the build to run, where it is not the checkout's own. */
  readonly root?: string;
}

/** Every role is held twice, so that each of them outlives any one process. */
const MIXES: readonly (readonly string[])[] = [
  ['api,worker,channels', 'api,worker,channels', 'worker,channels'],
  ['api,worker,channels', 'api,channels', 'worker'],
  ['api,worker', 'api,channels', 'worker,channels'],
  ['api,worker,channels', 'api,worker,channels', 'api'],
];

/** Long enough to outlast most faults, short enough to see what becomes of those that they do not. */
const DEADLINES = { POSTRIDER_UNKNOWN_TIMEOUT: '9s', POSTRIDER_RECEIPT_TIMEOUT: '14s' };
const ALLOWED = { POSTRIDER_WEBHOOK_ALLOW: '127.0.0.0/8', POSTRIDER_UPSTREAM_ALLOW: '127.0.0.0/8' };
const SETTINGS = { ...DEADLINES, ...ALLOWED, POSTRIDER_LOG_LEVEL: 'warn' };

/** Parts that the channel accepts per session, sent or waiting: five windows. */
export const HELD = 5 * WINDOW;

export async function createWorld(options: WorldOptions): Promise<World> {
  const { seed, dice, history, folder } = options;
  mkdirSync(folder, { recursive: true });
  const closers: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const closeOne of closers.splice(0).reverse()) await closeOne();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const database = await startDatabaseServer(history);
    closers.push(database.close);
    const centres: CampaignCentre[] = [];
    for (const [index, kind] of (options.kinds ?? chooseKinds(seed)).entries()) {
      const name = `centre-${index + 1}`;
      const centre = await startCentre({ name, seed: seed + index, journal: `${folder}/${name}.jsonl`, kind });
      closers.push(centre.close);
      centres.push(centre);
    }
    const receiver = await startCampaignReceiver('receiver', dice.forActor('receiver'), history);
    closers.push(receiver.close);
    const nodes: ServiceNode[] = [];
    const root = options.root === undefined ? {} : { root: options.root };
    for (const [index, roles] of dice.pick(MIXES).entries()) {
      const name = `node-${index + 1}`;
      const node = await startNode({ name, roles, database, history, env: SETTINGS, ...root });
      closers.push(node.close);
      nodes.push(node);
    }
    const url = nodes[0]?.url() ?? '';
    const channelNos = await createChannels(url, centres.map(channelTo));
    const balancer = await startApiBalancer(nodes);
    closers.push(balancer.close);
    await connectCallbacks(url, balancer.url, centres, channelNos);
    const customers = await createCustomers(url, channelNos, dice, receiver, clientAt);
    const crowd = await createCrowd(database.sql);
    await until('the channels are up', async () => (await countChannelsUp(database)) === centres.length);
    const ruled = await createRuled(url, channelNos, clientAt);
    return { database, nodes, centres, receiver, customers, crowd, ruled, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function channelTo({ name, carrier, link }: CampaignCentre) {
  const { kind, refusal, config } = carrier;
  return { name, kind, failoverCodes: [refusal], config: config(link) };
}

/** A carrier that calls back learns the addresses of its channel when that exists. */
async function connectCallbacks(
  url: string,
  callbackUrl: string,
  centres: readonly CampaignCentre[],
  channelNos: readonly string[],
): Promise<void> {
  for (const [index, centre] of centres.entries()) {
    const { callbacks } = await operatorAt(url).channel(channelNos[index] ?? '');
    if (callbacks == null) continue;
    const { reports, uplinks } = callbacks;
    await centre.callBack({ reports: `${callbackUrl}${reports}`, uplinks: `${callbackUrl}${uplinks}` });
  }
}

function clientAt(apiKey: string, apiSecret: string) {
  const retry = { attempts: 10, firstDelayMs: 50, maxDelayMs: 500, maxRetryAfterMs: 1000 };
  return (baseUrl: string) => new PostriderClient({ baseUrl, apiKey, apiSecret, retry });
}

export async function countChannelsUp({ sql }: DatabaseServer): Promise<number> {
  const [row] = await sql<{ up: number }[]>`
    select count(*)::int as up from channel_heartbeat where expires_at > now() and health->>'state' = 'up'`;
  return row?.up ?? 0;
}
