import type { Platform, PlatformChannel } from '@postrider/client';
import { connectAsOperator } from '../../access/connection.js';
import type { Command } from '../../command.js';
import { wrapProse } from '../../display-width.js';
import { exitCodes } from '../../exit-codes.js';
import { showSome } from '../../output/columns.js';
import { formatSpan } from '../../output/pace.js';
import { chooseFormat, createRecordPrinter, outputOptions, type RecordShape } from '../../output/records.js';
import { spellCommand } from '../../spell-command.js';
import { paint, type Terminal } from '../../terminal.js';

const channelShape: RecordShape = {
  fields: [
    'channel_no',
    'name',
    'status',
    'health.state',
    'health.owner',
    'lease.token',
    'lease.expires_at',
    'health.sessions',
    'window.in_flight',
    'window.size',
    'rate.configured',
    'rate.pace',
    'rate.parts_per_second',
    'rate.reports_per_second',
    'queue.parts',
    'queue.oldest_at',
    'codes',
  ],
  columns: [
    { title: 'CHANNEL', field: 'channel_no' },
    { title: 'NAME', field: 'name' },
    { title: 'HEALTH', field: 'health.state' },
    { title: 'SESSIONS', field: 'health.sessions', align: 'right', dispensable: 2 },
    { title: 'WINDOW', field: 'window_shown', align: 'right', dispensable: 3 },
    { title: 'SEGMENTS/S', field: 'rate.parts_per_second', align: 'right' },
    { title: 'WAITING', field: 'queue.parts', align: 'right' },
    { title: 'OLDEST', field: 'oldest_shown', align: 'right' },
    { title: 'MOST SEEN CODES', field: 'codes_shown', dispensable: 1 },
  ],
};

const nodeShape: RecordShape = {
  fields: [],
  columns: [
    { title: 'PROCESS', field: 'node' },
    { title: 'STATE', field: 'state_shown' },
    { title: 'ROLES', field: 'roles', dispensable: 2 },
    { title: 'CHANNELS', field: 'channels', align: 'right' },
    { title: 'MEMORY', field: 'memory_shown', align: 'right', dispensable: 3 },
    { title: 'LAG', field: 'lag_shown', align: 'right', dispensable: 3 },
    { title: 'SEEN (UTC)', field: 'seen_at' },
    { title: 'VERSION', field: 'version', dispensable: 1 },
  ],
};

const historyShape = showSome(
  ['at', 'accepted', 'refused', 'throttled', 'unknown', 'reports'],
  'at accepted refused throttled:2 unknown reports:1',
  { at: 'FROM (UTC)', unknown: 'UNCONFIRMED' },
);

const RANGES = ['15m', '1h', '6h', '24h'] as const;
const CODES_SHOWN = 3;

export const platformFiguresCommand: Command = {
  path: ['platform'],
  summary: 'backlog, channels, processes and ledger checks',
  options: outputOptions,
  examples: [
    { command: 'postrider platform', shows: 'all of it at a glance' },
    { command: 'postrider platform --json', shows: 'every figure, for programs' },
  ],
  async run(invocation) {
    const client = await connectAsOperator(invocation);
    const { out, signal } = invocation.terminal;
    const platform = await client.platform({ signal });
    const format = chooseFormat(invocation);
    if (format === 'json') {
      await createRecordPrinter(out, channelShape, format)([platform]);
      return exitCodes.ok;
    }
    if (format === 'csv') {
      await createRecordPrinter(out, channelShape, format)(platform.channels);
      return exitCodes.ok;
    }
    const books = wrapProse(describeBooks(invocation.terminal, platform), out);
    const isSound = (platform.books?.imbalances ?? 0) === 0;
    await out.write(`${describeWaiting(platform)}\n${isSound ? books : paint(out, 'red', books)}\n`);
    const lostCommits = platform.nodes.reduce((sum, node) => sum + node.lost_commits, 0);
    if (lostCommits > 0) await out.write(`${paint(out, 'red', wrapProse(describeLostCommits(lostCommits), out))}\n`);
    await out.write('\n');
    await createRecordPrinter(out, channelShape, format)(platform.channels.map((one) => showChannel(platform, one)));
    await out.write('\n');
    await createRecordPrinter(out, nodeShape, format)(platform.nodes.map(showNode));
    return exitCodes.ok;
  },
};

export const platformHistoryCommand: Command = {
  path: ['platform', 'history'],
  summary: 'channel traffic over the last minutes or hours',
  description: 'Over all channels, the oldest first. A time in which no channel was open is missing.',
  options: {
    range: { type: 'string', choices: RANGES, summary: 'how far to look back (1h)' },
    ...outputOptions,
  },
  examples: [
    { command: 'postrider platform history', shows: 'the last hour, minute by minute' },
    { command: 'postrider platform history --range 24h --csv', shows: 'a day in steps of twenty minutes, for a chart' },
  ],
  async run(invocation) {
    const client = await connectAsOperator(invocation);
    const { out, err, signal } = invocation.terminal;
    const range = RANGES.find((one) => one === invocation.text('range'));
    const history = await client.platformHistory(range, { signal });
    const format = chooseFormat(invocation);
    const isEmpty = history.items.length === 0 && format === 'table';
    if (isEmpty) await err.write(`Nothing went through within the last ${history.range}.\n`);
    else await createRecordPrinter(out, historyShape, format)(format === 'json' ? [history] : history.items);
    return exitCodes.ok;
  },
};

function describeAge({ at }: Platform, since: string | null): string {
  return since === null ? '' : formatSpan(Math.max(0, Date.parse(at) - Date.parse(since)));
}

function describeWaiting(platform: Platform): string {
  const { tasks, is_exact: isExact, oldest_at: since } = platform.to_prepare;
  if (tasks === 0) return 'Nothing waits to be prepared.';
  const count = `${isExact ? '' : 'more than '}${tasks.toLocaleString('en')} ${tasks === 1 ? 'task' : 'tasks'}`;
  return `To prepare: ${count}, the oldest for ${describeAge(platform, since)}.`;
}

function describeBooks(terminal: Terminal, { books }: Platform): string {
  if (books === null) return 'The books have not been proven yet.';
  const when = `${books.checked_at.slice(0, 19).replace('T', ' ')} UTC`;
  if (books.imbalances === 0) return `The books add up (${when}).`;
  return `The books of ${books.imbalances} accounts do not add up (${when}); run: ${spellCommand(terminal, 'audit')}`;
}

function describeLostCommits(parts: number): string {
  const what = parts === 1 ? '1 segment that it shows' : `${parts.toLocaleString('en')} segments that it shows`;
  return `The database has lost commits: upstreams answered ${what} as never sent; see docs/guides/production.md`;
}

function showChannel(platform: Platform, channel: PlatformChannel) {
  const { window, queue, codes } = channel;
  return {
    ...channel,
    window_shown: window === null ? '' : `${window.in_flight}/${window.size}`,
    oldest_shown: describeAge(platform, queue.oldest_at),
    codes_shown: codes
      .slice(0, CODES_SHOWN)
      .map(({ code, count }) => `${code} ${count.toLocaleString('en')}`)
      .join(', '),
  };
}

function showNode(node: Platform['nodes'][number]) {
  return {
    ...node,
    state_shown: node.is_alive ? 'alive' : 'silent',
    memory_shown: `${Math.round(node.memory_bytes / 1_048_576)} MiB`,
    lag_shown: `${node.lag_ms.toFixed(1)} ms`,
  };
}
