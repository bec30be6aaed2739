// Stops what was started, in the opposite order, also when a later start failed.

import { setTimeout as sleep } from 'node:timers/promises';

export type Closers = (() => Promise<unknown>)[];

/** The limit is for one part. The next parts are stopped in any case, above all the embedded database, which would keep running. */
export async function closeAll(closers: Closers, limitMs: number): Promise<void> {
  const errors: unknown[] = [];
  for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
    const limit = new AbortController();
    const late = sleep(limitMs, undefined, { signal: limit.signal }).then(() => {
      errors.push(new Error(`a part did not stop within ${limitMs / 1000} s`));
    });
    const closed = close().catch((error) => errors.push(error));
    await Promise.race([closed, late.catch(() => undefined)]);
    limit.abort();
  }
  if (errors.length > 0) throw new AggregateError(errors, 'the service did not stop cleanly');
}
