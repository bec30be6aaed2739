import { expect, test } from 'vitest';
import { asCustomerId } from '../../../src/domain/id.js';
import { createCustomerMutex, StoppingError } from '../../../src/pipeline/fairness/customer-mutex.js';

/** `Promise.withResolvers` is not in Node 20. */
function withResolvers(): { readonly promise: Promise<string>; resolve(value: string): void } {
  let resolve: (value: string) => void = () => {};
  const promise = new Promise<string>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: (value) => resolve(value) };
}

const [ann, bob] = [asCustomerId(1n), asCustomerId(2n)];

test('one piece of work of a customer runs at a time; other customers do not wait', async () => {
  const mutex = createCustomerMutex(new AbortController().signal);
  const first = withResolvers();
  const begun: string[] = [];
  const works = ['a1', 'a2'].map((name) =>
    mutex.run(ann, async () => {
      begun.push(name);
      return await first.promise;
    }),
  );
  expect(await mutex.run(bob, async () => 'b1')).toBe('b1');
  expect(begun).toEqual(['a1']);
  first.resolve('done');
  expect(await Promise.all(works)).toEqual(['done', 'done']);
  expect(begun).toEqual(['a1', 'a2']);
});

test('a stop lets the work under way end and refuses what waits', async () => {
  const stop = new AbortController();
  const mutex = createCustomerMutex(stop.signal);
  const first = withResolvers();
  const started = withResolvers();
  const running = mutex.run(ann, () => {
    started.resolve('begun');
    return first.promise;
  });
  await started.promise;
  let begun = 0;
  const waiting = Array.from({ length: 300 }, () => mutex.run(ann, async () => (begun += 1)));
  const outcomes = Promise.allSettled(waiting);
  stop.abort();
  first.resolve('done');
  expect(await running).toBe('done');
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: expect.any(StoppingError) });
  expect(begun).toBe(0);
});
