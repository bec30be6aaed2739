// Processes stored callbacks of a channel that this process owns: records them like all feedback, then deletes their rows. After a
// crash they are read again: a repeated report changes nothing, and a repeated uplink is recognised by its id.

import type { Feedback } from '../../../channels/channel.js';
import type { CallbackFeedback } from '../../../channels/driver.js';
import type { Log } from '../../../domain/log.js';
import type { Lease } from '../../../store/channel/channel-lease.js';
import { deleteCallbacks, readCallbacks, type StoredCallback } from '../../../store/channel/upstream-callback.js';
import type { Sql } from '../../../store/sql.js';
import type { Wake } from '../../wake.js';

export interface CallbackInboxOptions {
  readonly sql: Sql;
  readonly lease: Lease;
  readonly wake: Wake;
  readonly log: Log;
  readonly receive: (feedback: Feedback) => void;
}

export interface CallbackInbox {
  /** Resolves when everything that was read is recorded, or left for the next owner. */
  stop(): Promise<void>;
}

const PAGE = 500;
const POLL_MS = 1_000;

export function startCallbackInbox({ sql, lease, wake, log, receive }: CallbackInboxOptions): CallbackInbox {
  const stopping = new AbortController();

  /** Whether it is recorded. */
  const record = ({ feedback }: StoredCallback): Promise<boolean> =>
    new Promise((resolve) => {
      const settled = { ack: () => resolve(true), nack: () => resolve(false) };
      receive({ ...(feedback as CallbackFeedback), ...settled } as Feedback);
    });

  /** One pass over all waiting callbacks. Those that cannot be recorded stay for the next pass. */
  const drain = async (): Promise<void> => {
    for (let after = 0n; !stopping.signal.aborted; ) {
      const page = await readCallbacks(sql, lease.channelId, after, PAGE);
      const isRecorded = await Promise.all(page.map(record));
      const done = page.filter((_, at) => isRecorded[at]).map(({ callbackId }) => callbackId);
      if (done.length > 0) await deleteCallbacks(sql, done);
      if (page.length < PAGE) return;
      after = page.at(-1)?.callbackId ?? after;
    }
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const since = wake.count('callbacks');
      await drain().catch((err: unknown) => log.warn({ err }, 'callbacks of the upstream could not be read; retrying'));
      await wake.wait('callbacks', since, POLL_MS, stopping.signal);
    }
  };
  const running = run();

  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
