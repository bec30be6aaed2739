// The runtime of a channel that this process owns: connection, dispatcher and feedback, under one lease.

import type { Channel, OpenChannel, SubmitOutcome } from '../../../channels/channel.js';
import type { Chunk } from '../../../domain/chunk/chunk.js';
import type { ChannelConfig } from '../../../domain/entities/channel.js';
import type { Log } from '../../../domain/log.js';
import type { MessageIdFormat } from '../../../domain/message/message-id.js';
import { formatReference } from '../../../domain/message/part-reference.js';
import { chooseFailoverChannel } from '../../../domain/plan/failover.js';
import type { Region } from '../../../domain/plan/phone.js';
import { classOfPlace, classOfQueue, customerOfQueue, type QueueKey } from '../../../domain/rules/queue-place.js';
import { type WindowState, windowStateAt } from '../../../domain/rules/send-windows.js';
import type { Lease } from '../../../store/channel/channel-lease.js';
import { type ChunkPlace, FIRST_PLACE, readOutstanding } from '../../../store/chunk/outstanding.js';
import type { Sql } from '../../../store/connect.js';
import type { Snapshot } from '../../../store/snapshot/snapshot.js';
import type { Quarantine } from '../../quarantine/quarantine.js';
import { rejectOutsideWindow } from '../../reject-outside-window.js';
import type { Recorder } from '../../settle/recorder.js';
import type { SettleLimits } from '../../settle/settle.js';
import { NO_BUCKET, type Wake } from '../../wake.js';
import { createPartLifecycle } from '../parts/part-lifecycle.js';
import type { PartMemory } from '../parts/part-memory.js';
import { createReportMatcher } from '../parts/report-matcher.js';
import { createWindow } from '../parts/window.js';
import { startCallbackInbox } from '../reports/callback-inbox.js';
import { startFeedback } from '../reports/feedback.js';
import { createStoredParts, readWaiting } from '../reports/stored-parts.js';
import { createClassHours } from '../sending/class-hours.js';
import { createClassTurns } from '../sending/class-turns.js';
import { startDispatcher } from '../sending/dispatcher.js';
import type { ExpressSend } from '../sending/express-send.js';
import { createLoader } from '../sending/loader.js';
import { createPacer } from '../sending/pacer.js';
import { createPartQueue } from '../sending/part-queue.js';
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
  /** The database's clock as estimated by this process, in milliseconds since the epoch. */
  readonly databaseNow: () => number;
  readonly limits: SettleLimits;
  readonly openChannel: (config: ChannelConfig) => OpenChannel;
  readonly observerOf: (channelNo: string) => ChannelObserver;
}

export interface ChannelRuntime {
  readonly config: ChannelConfig;
  readonly channel: OpenChannel;
  readonly express: ExpressSend;
  health(): object;
  /** Called every second: sends waiting test messages, and adds the buckets whose machine is back. */
  poll(): Promise<void>;
  close(): Promise<void>;
}

/** The channel to open, and its lease. */
export interface ChannelOpening {
  readonly config: ChannelConfig;
  readonly lease: Lease;
  /** Kept by this process when the channel is reopened. */
  readonly tally: ChannelTally;
  readonly sessionLog: SessionLog;
  readonly onFault: (error: unknown) => void;
}

const RESUME_BATCH = 500;
/** The newest waiting reports are loaded; the older ones stay in the table for the operator. */
const MAX_WAITING_LOADED = 50_000;

export async function openChannelRuntime(
  options: ChannelRuntimeOptions,
  opening: ChannelOpening,
): Promise<ChannelRuntime> {
  const { config, lease, sessionLog } = opening;
  const remainder = await markInterruptedUnknown(options, lease);
  const channel = options.openChannel(config);
  channel.onSession?.(({ kind, detail }) => sessionLog.note(kind, detail));
  try {
    return await startChannelRuntime(options, opening, channel, remainder);
  } catch (error) {
    await channel.close();
    throw error;
  }
}

async function startChannelRuntime(
  options: ChannelRuntimeOptions,
  { config, lease, tally, onFault }: ChannelOpening,
  channel: OpenChannel,
  remainder: InterruptedRemainder,
): Promise<ChannelRuntime> {
  const { wake, snapshot } = options;
  const log = options.log.child({ channel: config.channelNo });
  const observer = options.observerOf(config.channelNo);
  const { messageIdFormat } = channel;
  /** Buckets whose machine is away: their interrupted parts are not marked unknown yet, so nothing of them may be sent. */
  let { away } = remainder;
  const reachable = () =>
    snapshot()
      .buckets()
      .filter((bucket) => !away.includes(bucket));

  const { matcher, stored } = await openMatcher(options, lease, messageIdFormat);
  const { turns, loader, pacer } = createSendQueue({ ...options, log }, config, channel.window, reachable);
  const window = createWindow(channel.window);
  const isOpen = ({ customerId, queueNo }: Chunk): boolean => {
    if (!snapshot().isGranted(customerId, config.channelId)) return false;
    const windows = snapshot().customer(customerId)?.sendWindows ?? [];
    return windows.length === 0 || windowStateAt(windows, classOfPlace(queueNo), options.databaseNow()).isOpen;
  };
  const hours = createClassHours({ turns, loader, window, pacer, isOpen });
  const lifecycle = createPartLifecycle({
    ...options,
    lease,
    matcher,
    window,
    queue: createPartQueue({ turns, hours, loader, pacer, wake }),
    log,
    failoverChannel(chunk, index, code) {
      if (code !== undefined && !config.failoverCodes.includes(code)) return undefined;
      const usable = snapshot().usableChannels(chunk.customerId, chunk.serviceAccountId);
      return chooseFailoverChannel(chunk, index, config, usable);
    },
    onFault,
  });

  const tests = await startTestSends({ ...options, lease, channel, alphabet: config.alphabet, messageIdFormat, log });
  const feedback = startFeedback({
    ...options,
    lease,
    channel,
    matcher,
    lifecycle,
    stored,
    log,
    claimReport: tests.claimReport,
    observe(event, report) {
      observer.feedback(event);
      if (report !== undefined) tally.report(report);
    },
  });
  const inbox =
    config.callbackToken === null
      ? undefined
      : startCallbackInbox({ sql: options.sql, lease, wake, log, receive: feedback.receive });
  const rematch = () =>
    void matcher
      .rematch()
      .catch((err) => log.warn({ err }, 'the parts of stored reports could not be looked up again'));
  rematch();

  await resumeOutstanding(options, channel, lease, reachable());
  lifecycle.quarantine(remainder.failed);
  const unsubscribe = wake.onQueueHint(loader.hint);
  const dispatcher = startDispatcher({
    lease,
    channel,
    lifecycle,
    window,
    turns,
    hours,
    loader,
    pacer,
    wake,
    log,
    observe(outcome) {
      observer.outcome(outcome.kind);
      tally.outcome(outcome);
    },
    onFault,
  });
  return {
    config,
    channel,
    express: dispatcher.express,
    health: () => ({
      ...channel.health(),
      window: channel.load?.() ?? null,
      pace: pacer.rate() ?? null,
      figures: tally.figures(),
    }),
    async poll() {
      if (away.length > 0) {
        const left = await markInterruptedUnknown(options, lease, away);
        lifecycle.quarantine(left.failed);
        if (left.away.length < away.length) rematch();
        away = left.away;
      }
      await tests.poll();
    },
    async close() {
      unsubscribe();
      await Promise.all([dispatcher.stop(), tests.stop()]);
      // The channel first: a carrier that continues to send, or repeats what cannot be stored without the lease, would keep
      // `feedback` busy for ever.
      await channel.close();
      await inbox?.stop();
      await feedback.idle();
      matcher.close();
    },
  };
}

/** Loads the stored reports that wait for a part. */
async function openMatcher(options: ChannelRuntimeOptions, lease: Lease, messageIdFormat: MessageIdFormat) {
  const deps = { ...options, lease, messageIdFormat };
  const stored = createStoredParts(deps);
  const waiting = await readWaiting(deps, MAX_WAITING_LOADED);
  const hasOlder = waiting.length === MAX_WAITING_LOADED;
  const { channelId } = lease;
  const matcher = createReportMatcher({ ...options, channelId, messageIdFormat, stored, waiting, hasOlder });
  return { matcher, stored };
}

/** Chunks of a customer whose grant was revoked wait until it is granted again, or for another channel. */
const NOT_GRANTED: WindowState = { isOpen: false, changesAt: Number.POSITIVE_INFINITY, outside: 'hold' };

/** The turns of a channel, the loader that fills them, and the pacer. */
function createSendQueue(
  options: ChannelRuntimeOptions,
  config: ChannelConfig,
  window: number,
  buckets: () => readonly number[],
) {
  const { sql, snapshot, refreshSnapshot, wake, now, databaseNow } = options;
  const senderOf = (serviceAccountId: bigint) => snapshot().serviceAccountById(serviceAccountId)?.sender ?? '';
  const windowOf = (queue: QueueKey): WindowState => {
    if (!snapshot().isGranted(customerOfQueue(queue), config.channelId)) return NOT_GRANTED;
    const windows = snapshot().customer(customerOfQueue(queue))?.sendWindows ?? [];
    return windowStateAt(windows, classOfQueue(queue), databaseNow());
  };
  const templateCodeOf = (templateId: bigint) => snapshot().templateById(templateId)?.upstream_codes[config.channelNo];
  const turns = createClassTurns(() => createTurns(senderOf, config.alphabet, templateCodeOf));
  const loader = createLoader({
    sql,
    channelId: config.channelId,
    buckets,
    bucketOf: (customerId) => snapshot().customer(customerId)?.bucket,
    turns,
    window,
    now: databaseNow,
    windowOf,
    reject: createRejecter(options, config.channelId),
    loadSoon: () => wake.notifyLocal('dispatch', NO_BUCKET),
    queueVersion: (bucket) => wake.count('dispatch', bucket),
    ensureSenders: async (chunks) => {
      if (chunks.some(({ chunk }) => senderOf(chunk.serviceAccountId) === '')) await refreshSnapshot();
    },
  });
  return { turns, loader, pacer: createPacer(config.partsPerSecond ?? undefined, now) };
}

/** Rejects the messages of a queue whose window is closed, unless that is under way. */
function createRejecter(options: ChannelRuntimeOptions, channelId: bigint): (bucket: number, queue: QueueKey) => void {
  const underWay = new Set<QueueKey>();
  return (bucket, queue) => {
    if (underWay.has(queue)) return;
    underWay.add(queue);
    void rejectOutsideWindow(options, bucket, channelId, queue)
      .catch((err) => options.log.warn({ err }, 'messages outside their window could not be rejected'))
      .finally(() => underWay.delete(queue));
  };
}

/** For a carrier that is simulated in this process: restores the parts that it accepted and has not reported. */
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
