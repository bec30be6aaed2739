// What waits to be sent on a channel: turns of the customers, the loader that fills them, the window of parts without an answer, the
// pacer, and the sending hours.

import type { Channel } from '../../../channels/channel.js';
import type { Chunk } from '../../../domain/chunk/chunk.js';
import type { ChannelConfig } from '../../../domain/entities/channel.js';
import type { CustomerId } from '../../../domain/id.js';
import type { Log } from '../../../domain/log.js';
import type { MessageClass } from '../../../domain/rules/message-class.js';
import { classOfPlace, classOfQueue, customerOfQueue, type QueueKey } from '../../../domain/rules/queue-place.js';
import { type SendingHours, sendingHoursAt } from '../../../domain/rules/send-windows.js';
import type { Sql } from '../../../store/sql.js';
import type { EndDeps } from '../../task-moves/end-tasks.js';
import { rejectOutsideWindow } from '../../task-moves/reject-outside-window.js';
import { NO_BUCKET, type Wake } from '../../wake.js';
import { type ChannelWindow, createWindow } from '../parts/window.js';
import { type ClassTurns, createClassTurns } from './class-turns.js';
import { createLoader, type Loader } from './loader.js';
import { createPacer, type Pacer } from './pacer.js';
import { createPartQueue, type TimedPartQueue } from './part-queue.js';
import { createTurns } from './turns.js';

export interface SendQueueDeps extends EndDeps {
  readonly sql: Sql;
  readonly refreshSnapshot: () => Promise<void>;
  readonly wake: Wake;
  readonly log: Log;
  readonly now: () => number;
  /** The database's clock as estimated by this process, in milliseconds since the epoch. */
  readonly databaseNow: () => number;
}

export interface SendQueue {
  readonly turns: ClassTurns;
  readonly loader: Loader;
  readonly window: ChannelWindow;
  readonly pacer: Pacer;
  readonly queue: TimedPartQueue;
}

/** Chunks of a customer whose grant was revoked wait until it is granted again, or for another channel. */
const NOT_GRANTED: SendingHours = { isOpen: false, changesAt: Number.POSITIVE_INFINITY, outside: 'hold' };

/** `buckets` are those whose chunks may be sent now. */
export function createSendQueue(
  deps: SendQueueDeps,
  config: ChannelConfig,
  channel: Pick<Channel, 'window' | 'accepts'>,
  buckets: () => readonly number[],
): SendQueue {
  const { snapshot } = deps;
  const senderOf = (serviceAccountId: bigint) => snapshot().serviceAccountById(serviceAccountId)?.sender ?? '';
  const templateCodeOf = (templateId: bigint) => snapshot().templateById(templateId)?.upstream_codes[config.channelNo];
  const hoursOf = (customerId: CustomerId, messageClass: MessageClass): SendingHours => {
    if (!snapshot().isGranted(customerId, config.channelId)) return NOT_GRANTED;
    const sendWindows = snapshot().customer(customerId)?.sendWindows ?? [];
    return sendingHoursAt(sendWindows, messageClass, deps.databaseNow());
  };
  const isOpen = ({ customerId, queueNo }: Chunk) => hoursOf(customerId, classOfPlace(queueNo)).isOpen;

  const turns = createClassTurns(() => createTurns(senderOf, config.alphabet, templateCodeOf));
  const window = createWindow(channel.window, () => channel.accepts?.() ?? channel.window);
  const pacer = createPacer(config.partsPerSecond ?? undefined, deps.now);
  const loader = createLoader({
    sql: deps.sql,
    channelId: config.channelId,
    buckets,
    bucketOf: (customerId) => snapshot().customer(customerId)?.bucket,
    turns,
    window: channel.window,
    isIdle: window.isQueueIdle,
    now: deps.databaseNow,
    hoursOf: (queue) => hoursOf(customerOfQueue(queue), classOfQueue(queue)),
    reject: createRejecter(deps, config.channelId),
    loadSoon: () => deps.wake.notifyLocal('dispatch', NO_BUCKET),
    queueVersion: (bucket) => deps.wake.count('dispatch', bucket),
    ensureSenders: async (chunks) => {
      if (chunks.some(({ chunk }) => senderOf(chunk.serviceAccountId) === '')) await deps.refreshSnapshot();
    },
  });
  const queue = createPartQueue({ turns, loader, window, pacer, wake: deps.wake, isOpen });
  return { turns, loader, window, pacer, queue };
}

/** Rejects the messages of a queue outside of its hours, unless that is under way. */
function createRejecter(deps: SendQueueDeps, channelId: bigint): (bucket: number, queue: QueueKey) => void {
  const underWay = new Set<QueueKey>();
  return (bucket, queue) => {
    if (underWay.has(queue)) return;
    underWay.add(queue);
    void rejectOutsideWindow(deps, bucket, channelId, queue)
      .catch((err) => deps.log.warn({ err }, 'messages outside their sending hours could not be rejected'))
      .finally(() => underWay.delete(queue));
  };
}
