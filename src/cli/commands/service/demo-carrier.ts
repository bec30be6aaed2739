// `postrider demo-carrier KIND`: the demo over a real connection. A message centre runs here for as long as the command does,
// and the demo customer's messages go through it instead of the simulator.

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Channel, type OperatorClient, PostriderError } from '@postrider/client';
import type { MessageCentre } from '#tools/message-centre/message-centre.js';
import type { Counts } from '#tools/message-centre/tally.js';
import { HTTP_PRESETS } from '../../../channels/http-upstream/presets.js';
import { FAULT_TEXTS } from '../../../domain/fault/fault-texts.js';
import { formatCommand } from '../../../service/checkout.js';
import { isDemoCarrier, nameDemoCarrier } from '../../../service/demo-names.js';
import { connectAsOperator } from '../../access/connection.js';
import { locateDataFolder, requireDemo } from '../../access/data-folder.js';
import type { Command, Invocation } from '../../command.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { UsageError } from '../../failure.js';
import type { Terminal } from '../../terminal.js';

interface Demo {
  readonly url: string;
  readonly customer_no: string;
  readonly channel_no: string;
}

interface Ports {
  /** Of the message centre. */
  readonly port: number;
  /** Of the channel, where the message centre connects to it. */
  readonly listenPort: number;
}

interface Callbacks {
  readonly reportsUrl: string;
  readonly uplinksUrl: string;
}

interface Carrier {
  readonly protocol: string;
  readonly config: (ports: Ports) => Readonly<Record<string, unknown>>;
  readonly start: (ports: Ports, callbacks: Callbacks) => Promise<MessageCentre>;
}

type Kind = 'smpp' | 'cmpp' | 'sgip' | 'smgp' | 'http';

const HOST = '127.0.0.1';
const LOGIN = { host: HOST, account: 'demo', password: 'demo' };
/** The same for the message centre. Without it, a CMPP or SMGP centre cannot prove that it knows the secret. */
const ACCOUNT = { systemId: 'demo', password: 'demo' };
const loadCentres = () => import('#tools/message-centre/message-centre.js');

const CARRIERS: Readonly<Record<Kind, Carrier>> = {
  smpp: {
    protocol: 'SMPP',
    config: ({ port }) => ({ host: HOST, port, system_id: 'demo', password: 'demo' }),
    start: async ({ port }) => (await loadCentres()).startMessageCentre({ port, ...ACCOUNT }),
  },
  cmpp: {
    protocol: 'CMPP',
    config: ({ port }) => ({ ...LOGIN, port }),
    start: async ({ port }) => (await loadCentres()).startCmppCentre({ port, ...ACCOUNT }),
  },
  sgip: {
    protocol: 'SGIP',
    config: ({ port, listenPort }) => ({
      ...LOGIN,
      port,
      node_id: 3_010_090_001,
      corp_id: '90001',
      listen_host: HOST,
      listen_port: listenPort,
    }),
    start: async ({ port, listenPort }) =>
      (await loadCentres()).startSgipCentre({ port, clientPort: listenPort, ...ACCOUNT }),
  },
  smgp: {
    protocol: 'SMGP',
    config: ({ port }) => ({ ...LOGIN, port }),
    start: async ({ port }) => (await loadCentres()).startSmgpCentre({ port, ...ACCOUNT }),
  },
  http: {
    protocol: 'HTTP',
    config: ({ port }) => ({ ...HTTP_PRESETS['message-centre']?.config, url: `http://${HOST}:${port}/messages` }),
    start: async ({ port }, callbacks) => (await loadCentres()).startHttpCentre({ port, ...callbacks }),
  },
};

const FORBIDDEN = FAULT_TEXTS.address_not_public;

/** How long a channel may take to come up. */
const UP_WITHIN_MS = 30_000;

async function runCarrier(invocation: Invocation, kind: Kind): Promise<ExitCode> {
  const { terminal } = invocation;
  const carrier = CARRIERS[kind];
  const demo = await requireDemo(terminal);
  const operator = await connectAsOperator(invocation);
  const ports = { port: await findFreePort(), listenPort: await findFreePort() };
  const channel = await prepareChannel(operator, demo, kind, carrier.config(ports));
  const centre = await carrier.start(ports, callbacksOf(demo, channel));
  let isReturned = false;
  try {
    await operator.updateChannel(channel.channel_no, { status: 'active' });
    await waitUntilUp(operator, channel.channel_no, terminal.signal);
    await operator.updateChannel(demo.channel_no, { status: 'disabled' });
    await disableCarriers(operator, (other) => other.channel_no !== channel.channel_no);
    await waitForEnd(carrier, ports, terminal);
  } finally {
    // Another one that was started meanwhile has disabled this channel, and has the demo now.
    isReturned = (await operator.channel(channel.channel_no)).status === 'active';
    if (isReturned) await returnToSimulator(operator, demo);
    await centre.stop();
  }
  const outcome = isReturned ? 'The demo is back on its simulator.' : 'The demo stays with another carrier.';
  await terminal.out.write(`${outcome} ${describeTraffic(centre.counts())}\n`);
  return exitCodes.ok;
}

/** Creates the channel, or points the one of an earlier run at the new ports. It stays disabled until its message centre runs. */
async function prepareChannel(
  operator: OperatorClient,
  demo: Demo,
  kind: Kind,
  config: Readonly<Record<string, unknown>>,
): Promise<Channel> {
  const name = nameDemoCarrier(CARRIERS[kind].protocol);
  const earlier = await findChannel(operator, name);
  const { firms } = await operator.channel(demo.channel_no);
  const channel =
    earlier === undefined
      ? await operator.createChannel({ name, kind, firms, config, status: 'disabled' })
      : await operator.updateChannel(earlier.channel_no, { config, status: 'disabled' });
  await operator.grantChannel(demo.customer_no, channel.channel_no).catch((error: unknown) => {
    if (!(error instanceof PostriderError) || error.code !== 'already_exists') throw error;
  });
  return channel;
}

async function findChannel(operator: OperatorClient, name: string): Promise<Channel | undefined> {
  for await (const channel of operator.channels()) if (channel.name === name) return channel;
  return undefined;
}

function callbacksOf({ url }: Demo, { callbacks }: Channel): Callbacks {
  const addressOf = (path: string | null | undefined) => (path == null ? '' : new URL(path, url).href);
  return { reportsUrl: addressOf(callbacks?.reports), uplinksUrl: addressOf(callbacks?.uplinks) };
}

async function waitUntilUp(operator: OperatorClient, channelNo: string, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + UP_WITHIN_MS;
  while (!signal.aborted) {
    const { health } = await operator.channel(channelNo);
    if (health.state === 'up') return;
    const isForbidden = health.detail?.includes(FORBIDDEN) === true;
    if (isForbidden || performance.now() > deadline) {
      throw new UsageError(
        `The channel does not come up: ${health.detail ?? health.state}.`,
        isForbidden ? 'Start the service with POSTRIDER_UPSTREAM_ALLOW=127.0.0.0/8.' : undefined,
      );
    }
    await sleep(100, undefined, { signal }).catch(() => undefined);
  }
}

async function waitForEnd({ protocol }: Carrier, { port }: Ports, terminal: Terminal): Promise<void> {
  const { out, signal } = terminal;
  if (signal.aborted) return;
  await out.write(
    [
      `A message centre speaks ${protocol} on port ${port}, and the demo sends through it. In another terminal:`,
      '',
      `  ${formatCommand(locateDataFolder(terminal), 'send 13800139001 --var p1=Ann')}`,
      '',
      'Ctrl-C gives the demo its simulator back.',
      '',
    ].join('\n'),
  );
  if (!signal.aborted) await once(signal, 'abort');
}

/** Also after a failure: otherwise the demo would keep a message centre that is gone. */
async function returnToSimulator(operator: OperatorClient, demo: Demo): Promise<void> {
  await operator.updateChannel(demo.channel_no, { status: 'active' });
  await disableCarriers(operator, () => true);
}

async function disableCarriers(operator: OperatorClient, isMeant: (channel: Channel) => boolean): Promise<void> {
  for await (const channel of operator.channels()) {
    const isActive = isDemoCarrier(channel.name) && channel.status === 'active';
    if (isActive && isMeant(channel)) await operator.updateChannel(channel.channel_no, { status: 'disabled' });
  }
}

export function describeTraffic(counts: Pick<Counts, 'submits' | 'accepted' | 'refused'>): string {
  const segments = counts.submits === 1 ? '1 segment' : `${counts.submits} segments`;
  return `${segments} came by, ${counts.accepted} accepted, ${counts.refused} refused.`;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function createCarrierCommand(path: readonly string[], kind: Kind): Command {
  const { protocol } = CARRIERS[kind];
  const more = kind === 'http' ? '\nThe service must be started with POSTRIDER_UPSTREAM_ALLOW=127.0.0.0/8.' : '';
  return {
    path,
    summary: `let the demo send over ${protocol}, to a message centre that runs here`,
    description: `${[
      `For the service that \`npm start\` runs. Makes a channel of kind ${kind} for the demo customer, switches the simulator`,
      'off, and undoes both on Ctrl-C or when the terminal is closed. After a kill, the next `npm start` or `postrider',
      'demo-carrier simulator` does. The test numbers mean the same: 13800139001 is delivered, …9009 writes STOP.',
    ].join('\n')}${more}`,
    examples: [{ command: `postrider ${path.join(' ')}`, shows: 'beside npm start' }],
    run: (invocation) => runCarrier(invocation, kind),
  };
}

const simulatorCommand: Command = {
  path: ['demo-carrier', 'simulator'],
  summary: 'give the demo its simulator back',
  description: 'For a demo-carrier that was killed: one that ends does it anyway.',
  examples: [{ command: 'postrider demo-carrier simulator', shows: 'beside npm start' }],
  async run(invocation) {
    const demo = await requireDemo(invocation.terminal);
    await returnToSimulator(await connectAsOperator(invocation), demo);
    await invocation.terminal.out.write('The demo is back on its simulator.\n');
    return exitCodes.ok;
  },
};

export const demoCarrierCommands: readonly Command[] = [
  createCarrierCommand(['demo-smpp'], 'smpp'),
  ...(['cmpp', 'sgip', 'smgp', 'http'] as const).map((kind) => createCarrierCommand(['demo-carrier', kind], kind)),
  simulatorCommand,
];
