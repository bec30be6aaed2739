// Names are looked up by threads that the whole process shares; names that nobody answers for must not use them up.

import type { LookupAddress } from 'node:dns';
import { expect, it } from 'vitest';
import { makeNameLookup } from '../../../src/pipeline/push/name-lookup.js';

const ADDRESS: LookupAddress = { address: '203.0.113.1', family: 4 };

/** A resolver that answers when it is told to, and tells what it was asked. */
function makeResolver() {
  const asked: string[] = [];
  const answers = new Map<string, (found: readonly LookupAddress[]) => void>();
  return {
    asked,
    answer: (host: string) => answers.get(host)?.([ADDRESS]),
    resolve: (host: string) => {
      asked.push(host);
      return new Promise<readonly LookupAddress[]>((done) => answers.set(host, done));
    },
  };
}

it('few names are looked up at once, the others in their turn, and each once for all that ask', async () => {
  const resolver = makeResolver();
  const lookUp = makeNameLookup(resolver.resolve, { atOnce: 2, patienceMs: 60_000 });
  const found = ['a', 'b', 'a', 'c', 'c'].map(lookUp);
  expect(resolver.asked).toEqual(['a', 'b']);
  resolver.answer('a');
  expect(await found[0]).toEqual([ADDRESS]);
  expect(await found[2]).toEqual([ADDRESS]);
  await Promise.resolve();
  expect(resolver.asked).toEqual(['a', 'b', 'c']);
  resolver.answer('b');
  resolver.answer('c');
  await Promise.all(found);
  const again = lookUp('a');
  expect(resolver.asked).toEqual(['a', 'b', 'c', 'a']);
  resolver.answer('a');
  await again;
});

it('nobody waits for a resolver that does not answer, and what comes in its turn later is still found', async () => {
  const resolver = makeResolver();
  const lookUp = makeNameLookup(resolver.resolve, { atOnce: 1, patienceMs: 10 });
  const [dead, behind] = [lookUp('dead'), lookUp('behind')];
  await expect(dead).rejects.toMatchObject({ code: 'EAI_AGAIN' });
  await expect(behind).rejects.toMatchObject({ code: 'EAI_AGAIN' });
  resolver.answer('dead');
  await new Promise(setImmediate);
  expect(resolver.asked).toEqual(['dead', 'behind']);
  const later = lookUp('behind');
  resolver.answer('behind');
  expect(await later).toEqual([ADDRESS]);
});

it('a name that is not known is not known to all that asked, and is looked up again', async () => {
  let asked = 0;
  const lookUp = makeNameLookup(async () => {
    asked += 1;
    throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
  });
  const both = [lookUp('x'), lookUp('x')];
  for (const one of both) await expect(one).rejects.toMatchObject({ code: 'ENOTFOUND' });
  await expect(lookUp('x')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  expect(asked).toBe(2);
});
