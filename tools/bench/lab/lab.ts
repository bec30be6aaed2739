// The service, the message centre and the customers that the loads of one run share. Each customer may use both channels;
// a request chooses by naming the firm.

import { type CentreKind, startBenchCentre } from './centre.js';
import { addCustomers, type BenchCustomer } from './customers.js';
import { type BenchService, startBenchService } from './service.js';

/** Upstreams of a load, and the names of the firms that lead to them. */
export type Upstream = 'simulator' | 'smpp';

export const UPSTREAMS: Readonly<Record<Upstream, string>> = {
  simulator: 'the simulator',
  smpp: 'SMPP',
};

export interface Lab {
  readonly service: BenchService;
  /** The first so many customers; those that are missing are made. */
  customers(count: number): Promise<readonly BenchCustomer[]>;
  stop(): Promise<void>;
}

export interface LabOptions {
  readonly progress: (text: string) => void;
  readonly signal: AbortSignal;
  /** A new embedded one unless it is given. */
  readonly databaseUrl?: string;
}

/** As many parts as a session may have under way. */
const WINDOW = 100;

export async function startLab({ progress, signal, databaseUrl }: LabOptions): Promise<Lab> {
  progress('starting a service and a message centre');
  const centre = await startBenchCentre();
  const service = await startBenchService(signal, { databaseUrl }).catch(async (error: unknown) => {
    await centre.stop();
    throw error;
  });
  const stop = async () => {
    await service.stop();
    await centre.stop();
  };
  try {
    const account = { host: '127.0.0.1', port: centre.port, system_id: 'bench', password: 'bench', window: WINDOW };
    const channelNos = [
      await addChannel(service, { kind: 'simulator', firm: 'simulator', config: {} }),
      await addChannel(service, { kind: 'smpp', firm: 'smpp', config: account }),
    ];
    const made: BenchCustomer[] = [];
    const customers = async (count: number) => {
      if (made.length < count) {
        made.push(...(await addCustomers(service, { count: count - made.length, channelNos, progress, signal })));
      }
      return made.slice(0, count);
    };
    return { service, customers, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export interface ChannelOrder {
  readonly kind: 'simulator' | CentreKind;
  readonly firm: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly requiresFiling?: boolean;
}

/** A firm without prefixes takes every number of the requests that name it. */
export async function addChannel({ operator }: BenchService, order: ChannelOrder): Promise<string> {
  const { kind, firm, config, requiresFiling = false } = order;
  await operator.createFirm({ firm, name: firm, prefixes: [] });
  const channel = { name: firm, kind, firms: [firm], config, requires_filing: requiresFiling };
  const { channel_no } = await operator.createChannel(channel);
  return channel_no;
}
