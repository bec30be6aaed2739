// `postrider demo-smpp`: the demo over a real SMPP connection. A message centre runs here for as long as the command does,
// and the demo customer's messages go through it instead of the simulator.

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Channel, type OperatorClient, PostriderError } from '@postrider/client';
import { formatCommand } from '../../service/checkout.js';
import { DEMO_SMPP_NAME } from '../../service/demo-names.js';
import type { Counts } from '../../smsc/tally.js';
import { connectAsOperator } from '../access/connection.js';
import { locateDataFolder, requireDemo } from '../access/data-folder.js';
import type { Command, Invocation } from '../command.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import type { Terminal } from '../terminal.js';

interface Demo {
  readonly customer_no: string;
  readonly channel_no: string;
}

const ACCOUNT = { host: '127.0.0.1', system_id: 'demo', password: 'demo' };

async function runDemo(invocation: Invocation): Promise<ExitCode> {
  const { startMessageCentre } = await import('../../smsc/message-centre.js');
  const { terminal } = invocation;
  const demo = await requireDemo(terminal);
  const operator = await connectAsOperator(invocation);
  const simulator = await operator.channel(demo.channel_no);
  const centre = await startMessageCentre({ port: 0 });
  try {
    await lendToCentre(operator, demo, simulator, centre.port, terminal);
  } finally {
    await returnToSimulator(operator, demo);
    await centre.stop();
  }
  await terminal.out.write(`The demo is back on its simulator. ${describeTraffic(centre.counts())}\n`);
  return exitCodes.ok;
}

/** Until the terminal says that it is enough. */
async function lendToCentre(
  operator: OperatorClient,
  demo: Demo,
  simulator: Channel,
  port: number,
  terminal: Terminal,
): Promise<void> {
  const { out, signal } = terminal;
  const channel = await openChannel(operator, demo, simulator, port);
  await operator.updateChannel(simulator.channel_no, { status: 'disabled' });
  await waitUntilUp(operator, channel.channel_no, signal);
  if (signal.aborted) return;
  await out.write(
    [
      `A message centre speaks SMPP on port ${port}, and the demo sends through it. In another terminal:`,
      '',
      `  ${formatCommand(locateDataFolder(terminal), 'send 13800139001 --var p1=Ann')}`,
      '',
      'Ctrl-C gives the demo its simulator back.',
      '',
    ].join('\n'),
  );
  if (!signal.aborted) await once(signal, 'abort');
}

/** Whatever happened: without it, the demo would be left with a message centre that is gone. */
async function returnToSimulator(operator: OperatorClient, demo: Demo): Promise<void> {
  await operator.updateChannel(demo.channel_no, { status: 'active' });
  for await (const channel of operator.channels()) {
    if (channel.name === DEMO_SMPP_NAME) await operator.updateChannel(channel.channel_no, { status: 'disabled' });
  }
}

export function describeTraffic(counts: Pick<Counts, 'submits' | 'accepted' | 'refused'>): string {
  const parts = counts.submits === 1 ? '1 part' : `${counts.submits} parts`;
  return `${parts} came by, ${counts.accepted} accepted, ${counts.refused} refused.`;
}

/** The channel of an earlier run is pointed at the new port. */
async function openChannel(operator: OperatorClient, demo: Demo, simulator: Channel, port: number): Promise<Channel> {
  const config = { ...ACCOUNT, port };
  for await (const channel of operator.channels()) {
    if (channel.name === DEMO_SMPP_NAME)
      return await operator.updateChannel(channel.channel_no, { config, status: 'active' });
  }
  const { firms } = simulator;
  const channel = await operator.createChannel({ name: DEMO_SMPP_NAME, kind: 'smpp', firms, config });
  await operator.grantChannel(demo.customer_no, channel.channel_no).catch((error: unknown) => {
    if (!(error instanceof PostriderError) || error.code !== 'already_exists') throw error;
  });
  return channel;
}

async function waitUntilUp(operator: OperatorClient, channelNo: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { health } = await operator.channel(channelNo);
    if (health.state === 'up') return;
    await sleep(100, undefined, { signal }).catch(() => undefined);
  }
}

export const demoSmppCommand: Command = {
  path: ['demo-smpp'],
  summary: 'let the demo send over SMPP, to a message centre that runs here',
  description: [
    'For the service that `npm start` runs. Makes a channel of kind smpp for the demo customer, switches the simulator',
    'off, and undoes both on Ctrl-C or when the terminal is closed; the next `npm start` does where it was killed. The test',
    'numbers mean the same: 13800139001 is delivered, …9009 writes STOP.',
  ].join('\n'),
  examples: [{ command: 'postrider demo-smpp', shows: 'beside npm start' }],
  run: runDemo,
};
