// `postrider demo-smpp`: the demo over a real SMPP connection. A message centre runs here for as long as the command does,
// and the demo customer's messages go through it instead of the simulator.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Channel, type OperatorClient, PostriderError } from '@postrider/client';
import type { Counts } from '../../smsc/tally.js';
import type { Command, Invocation } from '../command.js';
import { connectAsOperator } from '../connection.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import type { Terminal } from '../terminal.js';

interface Demo {
  readonly customer_no: string;
  readonly channel_no: string;
}

const CHANNEL_NAME = 'Demo over SMPP';
const ACCOUNT = { host: '127.0.0.1', system_id: 'demo', password: 'demo' };

async function runDemo(invocation: Invocation): Promise<ExitCode> {
  const { startMessageCentre } = await import('../../smsc/message-centre.js');
  const { terminal } = invocation;
  const demo = await readDemo(terminal);
  const operator = await connectAsOperator(invocation);
  const centre = await startMessageCentre({ port: 0 });
  try {
    const simulator = await operator.channel(demo.channel_no);
    const channel = await openChannel(operator, demo, simulator, centre.port);
    await operator.updateChannel(simulator.channel_no, { status: 'disabled' });
    await waitUntilUp(operator, channel.channel_no, terminal.signal);
    await terminal.out.write(
      [
        `A message centre speaks SMPP on port ${centre.port}, and the demo sends through it. In another terminal:`,
        '',
        '  npx postrider send 13800139001 --var p1=Ann',
        '',
        'Ctrl-C gives the demo its simulator back.',
        '',
      ].join('\n'),
    );
    if (!terminal.signal.aborted) await once(terminal.signal, 'abort');
    await operator.updateChannel(simulator.channel_no, { status: 'active' });
    await operator.updateChannel(channel.channel_no, { status: 'disabled' });
    await terminal.out.write(`The demo is back on its simulator. ${describeTraffic(centre.counts())}\n`);
  } finally {
    await centre.stop();
  }
  return exitCodes.ok;
}

export function describeTraffic(counts: Pick<Counts, 'submits' | 'accepted' | 'refused'>): string {
  const parts = counts.submits === 1 ? '1 part' : `${counts.submits} parts`;
  return `${parts} came by, ${counts.accepted} accepted, ${counts.refused} refused.`;
}

async function readDemo(terminal: Terminal): Promise<Demo> {
  const file = join(resolve(terminal.folder, terminal.env.POSTRIDER_DATA_DIR || 'data'), 'demo.json');
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Demo;
  } catch {
    throw new UsageError(`There is no demo here: ${file} cannot be read.`, 'Start one: npm start');
  }
}

/** The channel of an earlier run is pointed at the new port. */
async function openChannel(operator: OperatorClient, demo: Demo, simulator: Channel, port: number): Promise<Channel> {
  const config = { ...ACCOUNT, port };
  for await (const channel of operator.channels()) {
    if (channel.name === CHANNEL_NAME)
      return await operator.updateChannel(channel.channel_no, { config, status: 'active' });
  }
  const { firms } = simulator;
  const channel = await operator.createChannel({ name: CHANNEL_NAME, kind: 'smpp', firms, config });
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
    'For the service that `npm start` runs in this folder. Makes a channel of kind smpp for the demo customer, switches the',
    'simulator off, and undoes both on Ctrl-C. The test numbers mean the same: 13800139001 is delivered, …9009 writes STOP.',
  ].join('\n'),
  examples: [{ command: 'postrider demo-smpp', shows: 'beside npm start' }],
  run: runDemo,
};
