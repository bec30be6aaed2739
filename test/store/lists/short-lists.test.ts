// A condition without an index is allowed only on lists that a filter keeps short: the compiler refuses others.

import { expect, expectTypeOf, test } from 'vitest';
import { asTaskId } from '../../../src/domain/id.js';
import type { Condition } from '../../../src/store/condition.js';
import { type HistoryFilters, isShort, type listHistory, type ShortFilters } from '../../../src/store/lists/history.js';

test.each([
  [{ taskId: asTaskId(1n) }, true],
  [{ batchId: 'B1', status: 'delivered' }, true],
  [{ phoneKey: '8613800138000' }, true],
  [{ status: 'delivered' }, false],
  [{ status: 'rejected', phoneKey: undefined }, false],
  [{}, false],
])('a list with %o is short: %s', (filters: HistoryFilters, expected) => {
  expect(isShort(filters)).toBe(expected);
});

test('a status alone does not keep a list short, so no condition may be added to it', () => {
  expectTypeOf<Parameters<typeof listHistory>>().toExtend<readonly [...unknown[], ShortFilters, Condition]>();
  expectTypeOf<{ readonly status: string }>().not.toExtend<ShortFilters>();
  expectTypeOf<{ readonly status: string; readonly taskId: undefined }>().not.toExtend<ShortFilters>();
  expectTypeOf<{ readonly status: string; readonly batchId: string }>().toExtend<ShortFilters>();
});
