// What is checked again when a number is handed over, and that nothing is while nothing changes.

import { expect, test } from 'vitest';
import type { Chunk } from '../../../../src/domain/chunk/chunk.js';
import { firstIdAt } from '../../../../src/domain/id.js';
import { createRecheck } from '../../../../src/pipeline/channel/parts/recheck.js';
import type { Snapshot } from '../../../../src/store/snapshot/snapshot.js';

const ACCEPTED = new Date('2026-11-14T12:00:00Z');

function setUp() {
  const state = {
    version: 1n,
    isFiled: true,
    wordAddedAt: undefined as Date | undefined,
    other: undefined as bigint | undefined,
  };
  let looks = 0;
  const snapshot = {
    get version() {
      return state.version;
    },
    channel: () => ({}),
    isFiled: () => {
      looks += 1;
      return state.isFiled;
    },
    blockedWordFinder: (_: unknown, since: Date) =>
      state.wordAddedAt !== undefined && state.wordAddedAt > since
        ? (text: string) => (text.includes('lottery') ? 'Lottery' : undefined)
        : undefined,
  } as unknown as Snapshot;
  const recheck = createRecheck({ snapshot: () => snapshot, channelId: 1n, otherChannel: () => state.other });
  const numbers = { to: ['8613800138000', '8613800138001'], text: ['Win the LOT tery', 'Hello'] };
  const chunk = { taskId: firstIdAt(ACCEPTED), customerId: 1n, serviceAccountId: 1n, numbers } as unknown as Chunk;
  return { state, looks: () => looks, at: (index: number) => recheck(chunk, index) };
}

test('nothing is looked up again while the configuration is the same', () => {
  const { state, looks, at } = setUp();
  for (let count = 0; count < 100; count++) expect(at(count % 2)).toBeUndefined();
  expect(looks()).toBe(1);
  state.version = 2n;
  expect(at(0)).toBeUndefined();
  expect(looks()).toBe(2);
});

test('a number whose channel asks for a filing goes to another one, or ends', () => {
  const { state, at } = setUp();
  Object.assign(state, { version: 2n, isFiled: false });
  expect(at(0)).toEqual({ event: { kind: 'ended' }, code: 'no_route' });
  state.other = 7n;
  expect(at(0)).toEqual({ event: { kind: 'rerouted' }, failoverChannel: 7n });
});

test('only words that were blocked after the task was accepted are looked for', () => {
  const { state, at } = setUp();
  Object.assign(state, { version: 2n, wordAddedAt: new Date(ACCEPTED.getTime() - 3_600_000) });
  expect(at(0)).toBeUndefined();
  Object.assign(state, { version: 3n, wordAddedAt: new Date(ACCEPTED.getTime() + 1000) });
  expect(at(0)).toEqual({ event: { kind: 'ended' }, code: 'blocked_content', found: 'Lottery' });
  expect(at(1)).toBeUndefined();
});
