import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createPartMemory } from '../../../../src/pipeline/channel/parts/part-memory.js';
import { createQueuedPosition, type PartPosition } from '../../../../src/pipeline/channel/parts/part-state.js';
import { chunkOf } from '../../../support/model/chunk-of.js';

const CHANNEL = '1';
const chunk = chunkOf();
const newPart = (): PartPosition => createQueuedPosition(chunk, 0, 1);

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

test('what is forgotten is not kept alive, however much came and went', async () => {
  const memory = createPartMemory(64 * 1024 * 1024);
  const seen: WeakRef<PartPosition>[] = [];
  for (let at = 0; at < 20_000; at += 1) {
    const sent = newPart();
    seen.push(new WeakRef(sent));
    memory.remember(CHANNEL, String(at), sent);
    // The carrier reports after a window.
    if (at >= 100) memory.forget(CHANNEL, String(at - 100));
  }
  // A weak reference holds what it refers to until the end of the turn it was made in.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  const alive = seen.filter((reference) => reference.deref() !== undefined).length;
  // Those that are still remembered, and holes of the map's own table.
  expect(alive).toBeGreaterThanOrEqual(100);
  expect(alive).toBeLessThan(1_000);
  expect(memory.find(CHANNEL, '19999')).toBeDefined();
});

test('where there is no room the oldest go, and the newest stay', () => {
  const memory = createPartMemory(100_000);
  for (let at = 0; at < 10_000; at += 1) {
    memory.remember(CHANNEL, String(at), newPart());
    expect(memory.bytes()).toBeLessThanOrEqual(100_000);
  }
  const kept = Array.from({ length: 10_000 }, (_, at) => memory.find(CHANNEL, String(at)) !== undefined);
  const first = kept.indexOf(true);
  expect(kept.slice(first).every(Boolean)).toBe(true);
  expect(10_000 - first).toBeGreaterThan(300);
});
