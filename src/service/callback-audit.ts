// Callbacks of carriers in the audit log: one row per channel with their count and the addresses that they came from. A stolen callback
// token shows there as an unknown address.

import type { Log } from '../domain/log.js';
import { recordAudit } from '../store/operator/change.js';
import type { Sql } from '../store/sql.js';

const WRITE_INTERVAL_MS = 10 * 60_000;
/** Addresses listed per channel; the calls of further ones are counted together. */
const MAX_ADDRESSES = 20;

export interface CallbackAudit {
  note(channelNo: string, kind: 'reports' | 'uplinks', address: string): void;
  write(): Promise<void>;
  /** Writes the counts that are not written yet. */
  stop(): Promise<void>;
}

interface Sums {
  reports: number;
  uplinks: number;
  readonly addresses: Map<string, number>;
  other_addresses: number;
}

export function startCallbackAudit(sql: Sql, log: Log): CallbackAudit {
  let since = new Date();
  let channels = new Map<string, Sums>();
  const write = async (): Promise<void> => {
    const written = channels;
    const from = since;
    channels = new Map();
    since = new Date();
    for (const [channelNo, { addresses, ...sums }] of written) {
      const change = { ...sums, addresses: Object.fromEntries(addresses), since: from };
      await recordAudit(sql, 'upstream', { action: 'channel.callbacks', subject: channelNo, change }).catch(
        (err: unknown) => log.warn({ err, channel: channelNo, ...sums }, 'the sum of callbacks was not audited'),
      );
    }
  };
  const timer = setInterval(() => void write(), WRITE_INTERVAL_MS);
  timer.unref();
  return {
    note(channelNo, kind, address) {
      const sums = channels.get(channelNo) ?? { reports: 0, uplinks: 0, addresses: new Map(), other_addresses: 0 };
      channels.set(channelNo, sums);
      sums[kind] += 1;
      if (sums.addresses.size < MAX_ADDRESSES || sums.addresses.has(address))
        sums.addresses.set(address, (sums.addresses.get(address) ?? 0) + 1);
      else sums.other_addresses += 1;
    },
    write,
    async stop() {
      clearInterval(timer);
      await write();
    },
  };
}
