// The runtime of a channel that this process owns: connection, dispatcher and feedback, under one lease.

import type { OpenChannel, SubmitOutcome } from '../../../channels/channel.js';
import type { ChannelConfig } from '../../../domain/entities/channel.js';
import type { Log } from '../../../domain/log.js';
import type { MessageIdFormat } from '../../../domain/message/message-id.js';
import type { Region } from '../../../domain/phone/phone.js';
import { chooseFailoverChannel } from '../../../domain/plan/failover.js';
import type { Lease } from '../../../store/channel/channel-lease.js';
import type { Snapshot } from '../../../store/snapshot/snapshot.js';
import type { Sql } from '../../../store/sql.js';
import type { Quarantine } from '../../quarantine/quarantine.js';
import type { Recorder } from '../../settle/recorder.js';
import type { SettleLimits } from '../../settle/settle.js';
import type { Wake } from '../../wake.js';
import { createPartLifecycle, type PartLifecycleOptions } from '../parts/part-lifecycle.js';
import type { PartMemory } from '../parts/part-memory.js';
import type { PartsInFlight } from '../parts/parts-in-flight.js';
import { createRecheck } from '../parts/recheck.js';
import { createReportMatcher } from '../parts/report-matcher.js';
import { startCallbackInbox } from '../reports/callback-inbox.js';
import { type FeedbackOptions, startFeedback } from '../reports/feedback.js';
import { createRematches } from '../reports/rematches.js';
import { createStoredParts, readUnmatched } from '../reports/stored-parts.js';
import { startDispatcher } from '../sending/dispatcher.js';
import type { ExpressSend } from '../sending/express-send.js';
import { createSendQueue } from '../sending/send-queue.js';
import { startTestSends } from '../sending/test-sends.js';
import { type InterruptedRemainder, markInterruptedUnknown } from './interrupted.js';
import { resumeOutstanding } from './resume-outstanding.js';
import type { SessionLog } from './session-log.js';
import type { ChannelTally } from './tally.js';

export interface ChannelObserver {
  outcome(kind: SubmitOutcome['kind']): void;
  feedback(event: 'report' | 'unmatched' | 'uplink' | 'unclaimed'): void;
}

export interface ChannelRuntimeOptions {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly refreshSnapshot: () => Promise<void>;
  readonly region: Region;
  readonly recorder: Recorder;
  readonly quarantine: Quarantine;
  readonly memory: PartMemory;
  readonly inFlight: PartsInFlight;
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
  /** Sends waiting test messages. Called every second. */
  sendTests(): Promise<void>;
  /** Starts to send for buckets that are new or whose machine is back, on a cluster. Called every second. */
  addBuckets(): Promise<void>;
  /** Looks up unmatched reports again when they are due. Called every second. */
  rematchDue(): void;
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

/** The newest unmatched reports are loaded; the older ones stay in the table for the operator. */
const MAX_UNMATCHED_LOADED = 50_000;

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

/**
 * Called when the parts that an earlier owner left on the wire are marked unknown. Nothing is dispatched before the unmatched
 * reports are loaded.
 */
async function startChannelRuntime(
  options: ChannelRuntimeOptions,
  { config, lease, tally, onFault }: ChannelOpening,
  channel: OpenChannel,
  remainder: InterruptedRemainder,
): Promise<ChannelRuntime> {
  const { wake } = options;
  const log = options.log.child({ channel: config.channelNo });
  const observer = options.observerOf(config.channelNo);
  const { messageIdFormat } = channel;
  const buckets = createReachableBuckets(options, lease, remainder);
  const { matcher, stored } = await openMatcher(options, lease, messageIdFormat);
  const rematches = createRematches({ matcher, log, now: options.now });
  const sendQueue = createSendQueue({ ...options, log }, config, channel, buckets.list);
  const failoverChannel = createFailover(options.snapshot, config);
  const { window, queue } = sendQueue;
  const recheck = createRecheck({ ...options, channelId: lease.channelId, otherChannel: failoverChannel });
  const lifecycle = createPartLifecycle({
    ...options,
    lease,
    matcher,
    window,
    queue,
    log,
    failoverChannel,
    recheck,
    onFault,
  });
  const tests = await startTestSends({ ...options, lease, channel, alphabet: config.alphabet, messageIdFormat, log });
  const receiving = { ...options, lease, channel, matcher, lifecycle, stored, log, claimReport: tests.claimReport };
  const receiver = startReceiver({
    ...receiving,
    hasCallbacks: config.callbackToken !== null,
    observe(event, report) {
      observer.feedback(event);
      if (report !== undefined) tally.report(report);
    },
  });
  rematches.all();
  await resumeOutstanding(options, channel, lease.channelId, buckets.list());
  lifecycle.quarantine(remainder.failed);
  const unsubscribe = wake.onQueueHint(sendQueue.loader.hint);
  const dispatcher = startDispatcher({
    ...sendQueue,
    lease,
    channel,
    lifecycle,
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
      pace: sendQueue.pacer.rate() ?? null,
      figures: tally.figures(),
    }),
    sendTests: tests.poll,
    async addBuckets() {
      const { failed, hasReturned } = await buckets.retryAway();
      lifecycle.quarantine(failed);
      if (hasReturned) rematches.all();
    },
    rematchDue: rematches.due,
    async close() {
      unsubscribe();
      await Promise.all([dispatcher.stop(), tests.stop()]);
      // The channel first: a carrier that continues to send, or repeats what cannot be stored without the lease, would keep the
      // receiver busy for ever.
      await channel.close();
      await receiver.stop();
      matcher.close();
    },
  };
}

/** Receives feedback from the channel and, for carriers that call back, from the callbacks that any process has stored. */
function startReceiver(options: FeedbackOptions & { readonly wake: Wake; readonly hasCallbacks: boolean }): {
  stop(): Promise<void>;
} {
  const { sql, lease, wake, log } = options;
  const feedback = startFeedback(options);
  const { receive } = feedback;
  const inbox = options.hasCallbacks ? startCallbackInbox({ sql, lease, wake, log, receive }) : undefined;
  return {
    async stop() {
      await inbox?.stop();
      await feedback.stop();
    },
  };
}

/**
 * The buckets that may be sent. On a cluster, the machine of a bucket may be away, or a bucket may be new: then it is not taken over yet, its
 * interrupted parts are not marked unknown, and nothing of it may be sent.
 */
function createReachableBuckets(options: ChannelRuntimeOptions, lease: Lease, atStart: InterruptedRemainder) {
  const known = new Set(atStart.buckets);
  let { away } = atStart;
  const { snapshot } = options;
  return {
    list(): number[] {
      const buckets = snapshot().buckets();
      return buckets.filter((bucket) => known.has(bucket) && !away.includes(bucket));
    },
    async retryAway(): Promise<Pick<InterruptedRemainder, 'failed'> & { readonly hasReturned: boolean }> {
      const added = snapshot()
        .buckets()
        .filter((bucket) => !known.has(bucket));
      const wanted = [...away, ...added];
      if (wanted.length === 0) return { failed: new Map(), hasReturned: false };
      const left = await markInterruptedUnknown(options, lease, wanted);
      for (const bucket of added) known.add(bucket);
      away = left.away;
      return { failed: left.failed, hasReturned: left.away.length < wanted.length };
    },
  };
}

/** Chooses another channel for a number that this one cannot deliver, if the carrier's code allows it. */
function createFailover(snapshot: () => Snapshot, config: ChannelConfig): PartLifecycleOptions['failoverChannel'] {
  return (chunk, index, code) => {
    if (code !== undefined && !config.failoverCodes.includes(code)) return undefined;
    const usable = snapshot().usableChannels(chunk.customerId, chunk.serviceAccountId);
    return chooseFailoverChannel(chunk, index, config, usable);
  };
}

/** Loads the unmatched reports. */
async function openMatcher(options: ChannelRuntimeOptions, lease: Lease, messageIdFormat: MessageIdFormat) {
  const deps = { ...options, lease, messageIdFormat };
  const stored = createStoredParts(deps);
  const unmatched = await readUnmatched(deps, MAX_UNMATCHED_LOADED);
  const hasOlder = unmatched.length === MAX_UNMATCHED_LOADED;
  const { channelId } = lease;
  const matcher = createReportMatcher({ ...options, channelId, messageIdFormat, stored, unmatched, hasOlder });
  return { matcher, stored };
}
