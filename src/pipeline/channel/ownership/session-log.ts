// Logs the events of a channel and its sessions for operators. Written in batches, however often a connection flaps; losing entries is
// harmless.

import type { ChannelEventName } from '../../../domain/entities/channel-test.js';
import { cleanLine } from '../../../domain/message/outside-text.js';
import { writeChannelEvents } from '../../../store/channel/channel-event.js';
import type { Lease } from '../../../store/channel/channel-lease.js';
import type { Sql } from '../../../store/sql.js';

export interface SessionLog {
  note(event: ChannelEventName, detail: string): void;
  /** Writes the noted events; those that cannot be written are retried with the next call. */
  flush(): Promise<void>;
}

/** Events between two writes; the rest is only counted. */
const MAX_UNWRITTEN = 20;
const MAX_DETAIL_LENGTH = 300;

interface Noted {
  readonly at: Date;
  readonly event: ChannelEventName;
  readonly detail: string;
}

export function createSessionLog({ sql, lease, now }: { sql: Sql; lease: Lease; now: () => number }): SessionLog {
  let noted: Noted[] = [];
  let leftOut = 0;
  return {
    note(event, detail) {
      noted.push({ at: new Date(now()), event, detail: cleanLine(detail).slice(0, MAX_DETAIL_LENGTH) });
      if (noted.length <= MAX_UNWRITTEN) return;
      // The first and last events are the most useful.
      noted.splice(MAX_UNWRITTEN / 2, 1);
      leftOut += 1;
    },
    async flush() {
      if (noted.length === 0) return;
      const events = noted;
      const [first] = events;
      if (leftOut > 0 && first !== undefined) {
        const between = events[MAX_UNWRITTEN / 2 - 1] ?? first;
        events.splice(MAX_UNWRITTEN / 2, 0, { at: between.at, event: 'left_out', detail: `${leftOut} more` });
      }
      noted = [];
      leftOut = 0;
      await writeChannelEvents(sql, lease, events).catch(() => {
        noted = [...events, ...noted].slice(-MAX_UNWRITTEN);
      });
    },
  };
}
