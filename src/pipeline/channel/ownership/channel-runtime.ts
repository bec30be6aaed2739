// One owned channel at work: its connection, its dispatcher and its feedback, under one lease.

import type { Channel, OpenChannel, SubmitOutcome } from '../../../channels/channel.js';
import type { ChannelConfig } from '../../../domain/entities/channel.js';
import type { Log } from '../../../domain/log.js';
import type { MessageIdFormat } from '../../../domain/message/message-id.js';
import { formatReference } from '../../../domain/message/part-reference.js';
import { chooseFailoverChannel } from '../../../domain/plan/failover.js';
import type { Region } from '../../../domain/plan/phone.js';
import type { QueueKey } from '../../../domain/rules/queue-place.js';
import type { Lease } from '../../../store/channel/channel-lease.js';
import { type ChunkPlace, FIRST_PLACE, readOutstanding } from '../../../store/chunk/outstanding.js';
import type { Sql } from '../../../store/connect.js';
import type { Snapshot } from '../../../store/snapshot/snapshot.js';
import type { Quarantine } from '../../quarantine/quarantine.js';
import type { Recorder } from '../../settle/recorder.js';
import type { Wake } from '../../wake.js';
import type { PartMemory } from '../parts/part-memory.js';
import { createReportMatcher, type ReportMatcher } from '../parts/report-matcher.js';
import { startCallbackInbox } from '../reports/callback-inbox.js';
import { startFeedback } from '../reports/feedback.js';
import { createStoredParts, readWaiting } from '../reports/stored-parts.js';
import { createClassTurns } from '../sending/class-turns.js';
import { startDispatcher } from '../sending/dispatcher.js';
import { createLoader } from '../sending/loader.js';
import { createPacer } from '../sending/pacer.js';
import { startTestSends } from '../sending/test-sends.js';
import { createTurns } from '../sending/turns.js';
import { type InterruptedRemainder, markInterruptedUnknown } from './interrupted.js';
import type { SessionLog } from './session-log.js';
import type { ChannelTally } from './tally.js';

export interface ChannelObserver {
  outcome(kind: SubmitOutcome['kind']): void;
  feedback(event: 'report' | 'orphan' | 'uplink' | 'unclaimed'): void;
}

export interface ChannelRuntimeOptions {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly refreshSnapshot: () => Promise<void>;
  readonly region: Region;
  readonly recorder: Recorder;
  readonly quarantine: Quarantine;
  readonly memory: PartMemory;
  readonly wake: Wake;
  readonly log: Log;
  readonly now: () => number;
  readonly openChannel: (config: ChannelConfig) => OpenChannel;
  readonly observerOf: (channelNo: string) => ChannelObserver;
}

export interface ChannelRuntime {
  readonly config: ChannelConfig;
  readonly channel: OpenChannel;
  health(): object;
  /** Sends the test messages that wait, and takes up the buckets whose machine was away. */
  tend(): Promise<void>;
  close(): Promise<void>;
}

/** One channel to be opened, and under which lease. */
export interface ChannelOpening {
  readonly config: ChannelConfig;
  readonly lease: Lease;
  /** Counts on over all openings of the channel by this process. */
  readonly tally: ChannelTally;
  readonly sessionLog: SessionLog;
  readonly onFault: (error: unknown) => void;
}

const RESUME_BATCH = 500;
/** The table holds all reports that wait; those before these are left to the operator. */
const WAITING_AT_START = 50_000;

export async function openChannelRuntime(
  options: ChannelRuntimeOptions,
  opening: ChannelOpening,
): Promise<ChannelRuntime> {
  const { config, lease, sessionLog } = opening;
  const left = await markInterruptedUnknown(options, lease);
  const channel = options.openChannel(config);
  channel.onSession?.(({ kind, detail }) => sessionLog.note(kind, detail));
  try {
    return await startChannelRuntime(options, opening, channel, left);
  } catch (error) {
    await channel.close();
    throw error;
  }
}

async function startChannelRuntime(
  options: ChannelRuntimeOptions,
  { config, lease, tally, onFault }: ChannelOpening,
  channel: OpenChannel,
  left: InterruptedRemainder,
): Promise<ChannelRuntime> {
  const { recorder, wake, now, refreshSnapshot } = options;
  const { channelId } = lease;
  const log = options.log.child({ channel: config.channelNo });
  const observer = options.observerOf(config.channelNo);
  const { messageIdFormat } = channel;
  const book = await openBook(options, lease, messageIdFormat);
  const tests = await startTestSends({ ...options, lease, channel, alphabet: config.alphabet, messageIdFormat, log });
  const feedback = startFeedback({
    ...options,
    claimReport: tests.claimReport,
    lease,
    channel,
    book,
    log,
    observe(event, report) {
      observer.feedback(event);
      if (report !== undefined) tally.report(report);
    },
  });
  const inbox =
    config.callbackToken === null
      ? undefined
      : startCallbackInbox({ sql: options.sql, lease, wake, log, receive: feedback.receive });
  const rematch = () => {
    const failed = (err: unknown) => log.warn({ err }, 'the parts of kept reports could not be looked for again');
    void book.rematch().catch(failed);
  };
  rematch();
  let { away } = left;
  const reachable = () =>
    options
      .snapshot()
      .buckets()
      .filter((bucket) => !away.includes(bucket));
  await resumeOutstanding(options, channel, lease, reachable());
  const senderOf = (serviceAccountId: bigint) => options.snapshot().serviceAccountById(serviceAccountId)?.sender ?? '';
  const templateCodeOf = (templateId: bigint) =>
    options.snapshot().templateById(templateId)?.upstream_codes[config.channelNo];
  const turns = createClassTurns(() => createTurns(senderOf, config.alphabet, templateCodeOf));
  const pacer = createPacer(config.partsPerSecond ?? undefined, now);
  const loader = createLoader({
    sql: options.sql,
    channelId,
    buckets: reachable,
    bucketOf: (customerId) => options.snapshot().customer(customerId)?.bucket,
    turns,
    window: channel.window,
    news: (bucket) => wake.count('dispatch', bucket),
    admit: async (chunks) => {
      if (chunks.some(({ chunk }) => senderOf(chunk.serviceAccountId) === '')) await refreshSnapshot();
    },
  });
  const unsubscribe = wake.onHint('dispatch', (queues) => loader.hint(queues as readonly QueueKey[]));
  const dispatcher = startDispatcher({
    lease,
    channel,
    turns,
    loader,
    pacer,
    book,
    recorder,
    quarantine: options.quarantine,
    wake,
    log,
    now,
    failoverChannel: (chunk, index, code) =>
      code === undefined || config.failoverCodes.includes(code)
        ? chooseFailoverChannel(chunk, index, config, options.snapshot().grantedChannels(chunk.customerId))
        : undefined,
    observe(outcome) {
      observer.outcome(outcome.kind);
      tally.outcome(outcome);
    },
    onFault,
  });
  dispatcher.quarantine(left.failed);
  return {
    config,
    channel,
    health: () => ({
      ...channel.health(),
      window: channel.load?.() ?? null,
      pace: pacer.rate() ?? null,
      figures: tally.figures(),
    }),
    async tend() {
      if (away.length > 0) {
        const still = await markInterruptedUnknown(options, lease, away);
        dispatcher.quarantine(still.failed);
        if (still.away.length < away.length) rematch();
        away = still.away;
      }
      await tests.tend();
    },
    async close() {
      unsubscribe();
      await Promise.all([dispatcher.stop(), tests.stop()]);
      // The channel first: an upstream that goes on sending, or sending again what a lost lease cannot store, would
      // never let the feedback come to rest.
      await channel.close();
      await inbox?.stop();
      await feedback.idle();
      book.close();
    },
  };
}

/** The book of a channel, with the reports that wait for a part. */
async function openBook(
  options: ChannelRuntimeOptions,
  lease: Lease,
  messageIdFormat: MessageIdFormat,
): Promise<ReportMatcher> {
  const deps = { ...options, lease, messageIdFormat };
  const stored = createStoredParts(deps);
  const book = createReportMatcher({ channelId: lease.channelId, messageIdFormat, memory: options.memory, stored });
  const waiting = await readWaiting(deps, WAITING_AT_START);
  book.resume(waiting, waiting.length === WAITING_AT_START);
  return book;
}

/** Tells an upstream that lives in this process what it has accepted and not reported. */
async function resumeOutstanding(
  options: ChannelRuntimeOptions,
  channel: Channel,
  lease: Lease,
  buckets: readonly number[],
): Promise<void> {
  if (channel.resume === undefined) return;
  for (const bucket of buckets) {
    for (let after: ChunkPlace | undefined = FIRST_PLACE; after !== undefined; ) {
      const from: ChunkPlace = after;
      const page = await readOutstanding(options.sql, bucket, lease.channelId, from, RESUME_BATCH);
      channel.resume(
        page.parts.map(({ customerId, taskId, seq, part, parts, messageId, to, serviceAccountId }) => ({
          messageId,
          reference: formatReference({ customerId, taskId, seq, part }),
          to,
          from: options.snapshot().serviceAccountById(serviceAccountId)?.sender ?? '',
          isLast: part === parts,
        })),
      );
      after = page.next;
    }
  }
}
