// A message centre and a channel of every kind, for loads that compare the kinds.

import { HTTP_PRESETS } from '#src/channels/http-upstream/presets.js';
import { type BenchCentre, type CentreKind, startBenchCentre } from './centre.js';
import { addChannel } from './lab.js';
import { findFreePort } from './program.js';
import type { BenchService } from './service.js';

export const KINDS: readonly CentreKind[] = ['smpp', 'cmpp', 'sgip', 'smgp', 'http'];

export interface BenchCarriers {
  readonly channelNos: readonly string[];
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const LOGIN = { host: HOST, account: 'bench', password: 'bench' };
const ACCOUNT = ['--system-id', LOGIN.account, '--password', LOGIN.password];
/** As many parts under way on every kind. */
const WINDOW = 100;

/** A firm with the name of its kind leads to each. */
export async function startCarriers(service: BenchService): Promise<BenchCarriers> {
  const centres: BenchCentre[] = [];
  const channelNos: string[] = [];
  const stop = async () => {
    for (const centre of centres) await centre.stop();
  };
  try {
    for (const kind of KINDS) {
      const ports = { port: await findFreePort(), listenPort: await findFreePort() };
      const start = async (more: readonly string[]) => {
        centres.push(await startBenchCentre(kind, ports.port, more));
      };
      // A message centre that calls back has to know the addresses of its channel.
      if (kind !== 'http') {
        await start([...ACCOUNT, ...(kind === 'sgip' ? ['--client-port', String(ports.listenPort)] : [])]);
      }
      const channelNo = await addChannel(service, { kind, firm: kind, config: describeConfig(kind, ports) });
      channelNos.push(channelNo);
      if (kind === 'http') await start(['--reports-url', await readReportsUrl(service, channelNo)]);
    }
    return { channelNos, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Ports {
  /** Of the message centre. */
  readonly port: number;
  /** Where a channel listens for its message centre. */
  readonly listenPort: number;
}

function describeConfig(kind: CentreKind, { port, listenPort }: Ports): Readonly<Record<string, unknown>> {
  switch (kind) {
    case 'smpp':
      return { host: HOST, port, system_id: LOGIN.account, password: LOGIN.password, window: WINDOW };
    case 'sgip': {
      const listen = { node_id: 3_010_090_001, corp_id: '90001', listen_host: HOST, listen_port: listenPort };
      return { ...LOGIN, port, window: WINDOW, ...listen };
    }
    case 'http': {
      const url = `http://${HOST}:${port}/messages`;
      return { ...HTTP_PRESETS['message-centre']?.config, url, concurrency: WINDOW };
    }
    default:
      return { ...LOGIN, port, window: WINDOW };
  }
}

async function readReportsUrl({ operator, url }: BenchService, channelNo: string): Promise<string> {
  const { callbacks } = await operator.channel(channelNo);
  return new URL(callbacks?.reports ?? '', url).href;
}
