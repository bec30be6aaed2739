// Receives callbacks of carriers in any process: the driver parses them, they are committed, and only then acknowledged. The owner of
// the channel records them (callback-inbox.ts).

import type { CallbackKind, CallbackRequest, ReadCallback } from '../../../channels/driver.js';
import type { ChannelConfig, ConfigObject } from '../../../domain/entities/channel.js';
import { insertCallbacks, isCallbackBacklogFull } from '../../../store/channel/upstream-callback.js';
import type { Sql } from '../../../store/sql.js';
import type { Wake } from '../../wake.js';

export type CallbackResult =
  | { readonly kind: 'stored' }
  /** The channel takes no callbacks of this kind. */
  | { readonly kind: 'not_taken' }
  | { readonly kind: 'malformed'; readonly reason: string }
  /** The carrier should send it again. */
  | { readonly kind: 'full' };

export type ReceiveCallback = (
  channel: ChannelConfig,
  kind: CallbackKind,
  request: CallbackRequest,
) => Promise<CallbackResult>;

export interface CallbackReceiverDeps {
  readonly sql: Sql;
  readonly wake: Pick<Wake, 'notify'>;
  readonly readerOf: (kind: string) => ReadCallback<ConfigObject> | undefined;
  readonly monotonicNow: () => number;
}

/** Per channel: limits the disk space while the channel has no owner. */
const MAX_BACKLOG = 100_000;
const BACKLOG_CHECKED_EVERY_MS = 1_000;

export function createCallbackReceiver({ sql, wake, readerOf, monotonicNow }: CallbackReceiverDeps): ReceiveCallback {
  const store = createGroupedInsert(sql);
  const backlogs = new Map<bigint, { readonly atMs: number; readonly isFull: Promise<boolean> }>();

  const isFull = (channelId: bigint): Promise<boolean> => {
    const known = backlogs.get(channelId);
    if (known !== undefined && monotonicNow() - known.atMs < BACKLOG_CHECKED_EVERY_MS) return known.isFull;
    const asked = { atMs: monotonicNow(), isFull: isCallbackBacklogFull(sql, channelId, MAX_BACKLOG) };
    backlogs.set(channelId, asked);
    asked.isFull.catch(() => backlogs.delete(channelId));
    return asked.isFull;
  };

  return async (channel, kind, request) => {
    const { channelId, config } = channel;
    const feedback = readerOf(channel.kind)?.(config, kind, request);
    if (feedback === undefined) return { kind: 'not_taken' };
    if (typeof feedback === 'string') return { kind: 'malformed', reason: feedback };
    if (feedback.length === 0) return { kind: 'stored' };
    if (await isFull(channelId)) return { kind: 'full' };
    await store(channelId, feedback);
    wake.notify('callbacks');
    return { kind: 'stored' };
  };
}

interface Group {
  readonly feedback: object[];
  readonly stored: Promise<void>;
}

/** Callbacks of a channel that arrive while others are inserted share the next insert, and so one commit. */
function createGroupedInsert(sql: Sql): (channelId: bigint, feedback: readonly object[]) => Promise<void> {
  const running = new Map<bigint, Promise<void>>();
  const waiting = new Map<bigint, Group>();

  const insertAfter = async (channelId: bigint, before: Promise<void> | undefined, feedback: object[]) => {
    if (before !== undefined) await before.catch(() => {});
    waiting.delete(channelId);
    const inserted = insertCallbacks(sql, channelId, feedback);
    running.set(channelId, inserted);
    try {
      await inserted;
    } finally {
      if (running.get(channelId) === inserted) running.delete(channelId);
    }
  };

  return (channelId, feedback) => {
    const group = waiting.get(channelId);
    if (group !== undefined) {
      group.feedback.push(...feedback);
      return group.stored;
    }
    const own = [...feedback];
    const before = running.get(channelId);
    const stored = insertAfter(channelId, before, own);
    if (before !== undefined) waiting.set(channelId, { feedback: own, stored });
    return stored;
  };
}
