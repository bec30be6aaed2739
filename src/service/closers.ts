// What was started and how to stop it: closed in the opposite order, also when a later step fails.

import { setTimeout as sleep } from 'node:timers/promises';

export type Closers = (() => Promise<unknown>)[];

/** The limit is for one part. The next ones are stopped all the same: above all the embedded database, which would live on. */
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
