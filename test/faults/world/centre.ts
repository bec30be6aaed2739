// A message centre of a campaign, behind a network that can fail, with a journal that outlives it.

import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { startTcpProxy, type TcpProxy } from '../../support/network/tcp-proxy.js';
import { type CentreKind, type SpawnedCentre, spawnCentre } from '../../support/spawned.js';
import { CARRIERS, type Carrier, type CarrierLink } from './carriers.js';

export interface JournalEntry {
  /** When it arrived. */
  readonly at: string;
  readonly to: string;
  readonly part: number;
  readonly parts: number;
  readonly message_id: string;
  readonly text: string;
  /** All parts of the text at once. */
  readonly isWhole: boolean;
}

export interface CampaignCentre {
  readonly name: string;
  readonly carrier: Carrier;
  readonly link: CarrierLink;
  readonly proxy: TcpProxy;
  /** How often it cut a connection by itself, at most. */
  ownCuts(): number;
  accepted(): readonly JournalEntry[];
  /** The ids of messages of which it sent a receipt that was acknowledged. */
  acknowledged(): ReadonlySet<string>;
  pending(): Promise<number>;
  pause(): void;
  resume(): void;
  kill(): Promise<void>;
  restart(): Promise<void>;
  /** Where it posts reports and uplinks to, if it is of a kind that does. Starts it again. */
  callBack(urls: { readonly reports: string; readonly uplinks: string }): Promise<void>;
  close(): Promise<void>;
}

export interface CentreOptions {
  readonly name: string;
  readonly seed: number;
  readonly journal: string;
  readonly kind: CentreKind;
}

export async function startCentre({ name, seed, journal, kind }: CentreOptions): Promise<CampaignCentre> {
  const carrier = CARRIERS[kind];
  const listenPort = await findFreePort();
  const cutEvery = seed % 2 === 0 ? 500 : 0;
  const misbehaviour: Record<string, string | number> = {
    '--seed': seed,
    '--journal': journal,
    '--answer-ms': 2,
    '--answer-max-ms': 40,
    '--receipt-ms': 60,
    '--late-ms': 2000,
    '--early-rate': 0.05,
    '--late-rate': 0.05,
    '--missing-rate': 0.02,
    '--duplicate-rate': 0.06,
    // Some copies come when their numbers have gone on, and their chunks are gone.
    '--duplicate-ms': (seed % 3) * 1500,
    '--reorder-rate': 0.1,
    '--contradict-rate': 0.03,
    '--poison-rate': 0.04,
    '--throttle-rate': 0.02,
    '--refuse-rate': 0.12,
    '--at-login-rate': 0.1,
    '--cut-every': cutEvery,
    ...carrier.switches({ listenPort }),
  };
  let switches = ['--test-numbers', ...Object.entries(misbehaviour).flat().map(String)];
  let centre: SpawnedCentre = await spawnCentre(switches, 0, kind);
  let restarts = 0;
  const { port } = centre;
  const proxy = await startTcpProxy({ host: '127.0.0.1', port });

  const read = (): (JournalEntry & { readonly acknowledged?: string })[] => {
    const lines = existsSync(journal) ? readFileSync(journal, 'utf8').split('\n') : [];
    // The last line may be half written, or empty.
    return lines.slice(0, -1).map((line) => ({ ...JSON.parse(line), isWhole: carrier.isWhole }));
  };
  const accepted = () => read().filter((line) => line.acknowledged === undefined);
  const start = async (): Promise<void> => {
    centre = await spawnCentre(switches, port, kind);
  };
  return {
    name,
    carrier,
    link: { account: name.replace('entre-', ''), port: proxy.port, listenPort },
    proxy,
    ownCuts: () => (cutEvery === 0 ? 0 : restarts + Math.ceil((1.2 * accepted().length) / cutEvery)),
    accepted,
    acknowledged: () => new Set(read().flatMap(({ acknowledged }) => acknowledged ?? [])),
    pending: async () => (await centre.counts()).pending ?? 0,
    pause: () => centre.signal('SIGSTOP'),
    resume: () => centre.signal('SIGCONT'),
    kill: async () => void (await centre.end('SIGKILL')),
    async restart() {
      restarts += 1;
      await start();
    },
    async callBack({ reports, uplinks }) {
      switches = [...switches, '--reports-url', reports, '--uplinks-url', uplinks];
      await centre.end('SIGKILL');
      await start();
    },
    async close() {
      await centre.end('SIGKILL');
      await proxy.close();
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
