// One owned channel at work: its connection, its dispatcher and its feedback, under one lease.

import type { Channel, SubmitOutcome } from '../channels/channel.js';
import { PART } from '../domain/chunk-state.js';
import type { ChannelConfig } from '../domain/entities/channel.js';
import type { Log } from '../domain/log.js';
import type { MessageIdFormat } from '../domain/message-id.js';
import type { Region } from '../domain/phone.js';
import type { Lease } from '../store/channel-lease.js';
import type { StoredChunk } from '../store/chunk.js';
import type { Sql } from '../store/connect.js';
import { readInterrupted } from '../store/job.js';
import { readOutstanding } from '../store/outstanding.js';
import type { Snapshot } from '../store/snapshot/snapshot.js';
import { startDispatcher } from './dispatch.js';
import { type FeedbackDesk, startFeedback } from './feedback.js';
import { formatReference, makeFlightDirectory } from './flight.js';
import type { Recorder } from './recorder.js';
import type { Happening } from './settlement.js';
import type { Wake } from './wake.js';

export interface ChannelObserver {
  outcome(kind: SubmitOutcome['kind']): void;
  feedback(event: 'report' | 'orphan' | 'uplink' | 'unclaimed'): void;
}

export interface DeskOptions {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly refreshSnapshot: () => Promise<void>;
  readonly region: Region;
  readonly recorder: Recorder;
  readonly wake: Wake;
  readonly log: Log;
  readonly now: () => number;
  readonly openChannel: (config: ChannelConfig) => Channel;
  readonly observerOf: (channelNo: string) => ChannelObserver;
}

export interface ChannelDesk {
  readonly config: ChannelConfig;
  readonly lease: Lease;
  readonly channel: Channel;
  health(): object;
  close(): Promise<void>;
}

/** Remembered for as long as reports usually take; older ones are found in the database. */
const MAX_REMEMBERED_PARTS = 200_000;
const RESUME_BATCH = 500;

export async function openDesk(
  options: DeskOptions,
  config: ChannelConfig,
  lease: Lease,
  onFault: (error: unknown) => void,
): Promise<ChannelDesk> {
  await giveUpInterrupted(options, lease);
  const channel = options.openChannel(config);
  try {
    return await startDesk(options, config, lease, channel, onFault);
  } catch (error) {
    await channel.close();
    throw error;
  }
}

async function startDesk(
  options: DeskOptions,
  config: ChannelConfig,
  lease: Lease,
  channel: Channel,
  onFault: (error: unknown) => void,
): Promise<ChannelDesk> {
  const { sql, recorder, wake, now, refreshSnapshot } = options;
  const log = options.log.child({ channel: config.channelNo });
  const observer = options.observerOf(config.channelNo);
  const directory = makeFlightDirectory(MAX_REMEMBERED_PARTS);
  const messageIdFormat = (config.config.message_id_format ?? 'auto') as MessageIdFormat;
  const feedback: FeedbackDesk = await startFeedback({
    ...options,
    lease,
    channel,
    messageIdFormat,
    directory,
    log,
    observe: observer.feedback,
  });
  await resumeOutstanding(options, channel, lease);
  const dispatcher = startDispatcher({
    sql,
    lease,
    channel,
    partsPerSecond: config.partsPerSecond ?? undefined,
    directory,
    recorder,
    wake,
    log,
    now,
    senderOf: (serviceAccountId) => options.snapshot().serviceAccountById(serviceAccountId)?.sender ?? '',
    refreshSnapshot,
    observe: observer.outcome,
    onAccepted: feedback.onAccepted,
    onLost: feedback.onLost,
    onFault,
  });
  return {
    config,
    lease,
    channel,
    health: () => ({ ...channel.health(), parts_waiting: dispatcher.waiting(), rate: dispatcher.pacer.rate() ?? null }),
    async close() {
      await dispatcher.stop();
      // The channel first: an upstream that goes on sending, or sending again what a lost lease cannot store, would
      // never let the feedback come to rest.
      await channel.close();
      await feedback.idle();
    },
  };
}

/**
 * Parts with a committed intent and no recorded answer, left by a process that ended: the upstream may have them, so they
 * are unknown now and are never sent again.
 */
export async function giveUpInterrupted({ sql, recorder, log, now }: DeskOptions, lease: Lease): Promise<void> {
  const interrupted = await readInterrupted(sql, lease.channelId);
  let parts = 0;
  for (const stored of interrupted) {
    const happenings = unknownOf(stored, lease, stored.intendedAt?.getTime() ?? now());
    parts += happenings.length;
    await recorder.record(stored.chunk.customerId, happenings, lease);
  }
  if (parts > 0)
    log.warn({ parts }, 'parts were on the wire when their process ended; whether they were accepted is unknown');
}

function unknownOf({ chunk, state }: StoredChunk, lease: Lease, submittedAt: number): Happening[] {
  const happenings: Happening[] = [];
  for (let index = 0; index < state.results.length; index++) {
    const first = state.offsets[index] ?? 0;
    for (let at = first; at < (state.offsets[index + 1] ?? 0); at++) {
      if (state.partStates[at] !== PART.intended) continue;
      const part = at - first + 1;
      const code = 'process_ended';
      happenings.push({
        chunk,
        index,
        part,
        event: { kind: 'unknown' },
        channelId: lease.channelId,
        code,
        submittedAt,
      });
    }
  }
  return happenings;
}

/** Tells an upstream that lives in this process what it has accepted and not reported. */
async function resumeOutstanding(options: DeskOptions, channel: Channel, lease: Lease): Promise<void> {
  if (channel.resume === undefined) return;
  for (let after = 0n; ; ) {
    const page = await readOutstanding(options.sql, lease.channelId, after, RESUME_BATCH);
    channel.resume(
      page.parts.map(({ customerId, taskId, seq, part, parts, messageId, to, serviceAccountId }) => ({
        messageId,
        reference: formatReference({ customerId, taskId, seq, part }),
        to,
        from: options.snapshot().serviceAccountById(serviceAccountId)?.sender ?? '',
        isLast: part === parts,
      })),
    );
    if (page.next === undefined) return;
    after = page.next;
  }
}
