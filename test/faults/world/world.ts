// All that a campaign runs: a database, a few nodes with mixed roles, message centres, and the customers' channels to them.

import { mkdirSync, rmSync } from 'node:fs';
import { PostriderClient } from '@postrider/client';
import { createChannels } from '../../support/campaign.js';
import { until } from '../../support/until.js';
import type { Dice } from '../dice.js';
import type { History } from '../history.js';
import { type CrowdCustomer, createCrowd } from '../load/crowd.js';
import { type CampaignCustomer, createCustomers } from '../load/customers.js';
import { type CampaignCentre, startCentre } from './centre.js';
import { type DatabaseServer, startDatabaseServer } from './database-server.js';
import { type ServiceNode, startNode } from './node.js';
import { type CampaignReceiver, startCampaignReceiver } from './receiver.js';

export interface World {
  readonly database: DatabaseServer;
  readonly nodes: readonly ServiceNode[];
  readonly centres: readonly CampaignCentre[];
  readonly receiver: CampaignReceiver;
  readonly customers: readonly CampaignCustomer[];
  readonly crowd: readonly CrowdCustomer[];
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly seed: number;
  readonly dice: Dice;
  readonly history: History;
  /** For the journals. */
  readonly folder: string;
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
const SETTINGS = { ...DEADLINES, POSTRIDER_LOG_LEVEL: 'warn', POSTRIDER_WEBHOOK_ALLOW: '127.0.0.0/8' };

/** How the message centres refuse, and every channel lets go of what is refused so. */
export const FAILOVER_CODE = 'ESME_RSUBMITFAIL';

export const RESPONSE_TIMEOUT_MS = 4000;
export const WINDOW = 10;
export const SESSIONS = 2;
/** Parts that a session holds at once, sent or about to be: a few windows. */
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
    for (const name of ['centre-1', 'centre-2']) {
      const centre = await startCentre(name, seed + centres.length, `${folder}/${name}.jsonl`);
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
    const customers = await createCustomers(url, channelNos, dice, receiver, clientAt);
    const crowd = await createCrowd(database.sql);
    await until('the channels are up', async () => (await countChannelsUp(database)) === centres.length);
    return { database, nodes, centres, receiver, customers, crowd, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function channelTo(centre: CampaignCentre) {
  const account = { host: '127.0.0.1', port: centre.proxy.port, system_id: centre.name, password: 'secret' };
  const pace = { sessions: SESSIONS, window: WINDOW, reconnect_min_ms: 50, reconnect_max_ms: 1000 };
  const patience = { response_timeout_ms: RESPONSE_TIMEOUT_MS, enquire_link_ms: 2000 };
  return {
    name: centre.name,
    kind: 'smpp',
    failoverCodes: [FAILOVER_CODE],
    config: { ...account, ...pace, ...patience, receipts: 'by_text' },
  } as const;
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
