import { expect, test } from 'vitest';
import { errorText } from '../../../src/domain/fault/error-text.js';
import { createFault } from '../../../src/domain/fault/fault.js';
import { invalidRequest, Problem, renderProblem } from '../../../src/http/problem/problem.js';

test('a problem names its sentence by a key, with what is filled in', () => {
  const problem = new Problem('invalid_stage', errorText('stage_cannot_cancel', { stage: 'completed' }));
  expect(renderProblem(problem, 'id')).toMatchObject({
    code: 'invalid_stage',
    detail: 'A completed task cannot be cancelled any more.',
    key: 'stage_cannot_cancel',
    params: { stage: 'completed' },
  });
});

test('the faults of an invalid request have keys, and its detail shows the first one', () => {
  const faults = [
    createFault('/phones', 'too_many', errorText('too_many_entries', { count: 5001, max: 5000 })),
    createFault('?page', 'type', errorText('parameter_not_whole_number')),
  ];
  expect(renderProblem(invalidRequest(faults), 'id')).toMatchObject({
    detail: '/phones: has 5001 entries; at most 5000 are allowed (and 1 more)',
    key: 'invalid_request',
    params: {},
    errors: [
      { key: 'too_many_entries', params: { count: 5001, max: 5000 } },
      { key: 'parameter_not_whole_number', params: {} },
    ],
  });
});

test('a sentence without its parameters, or with others, does not compile', () => {
  // Never called: the compiler checks them.
  const attempts = [
    // @ts-expect-error: no stage
    () => errorText('stage_cannot_cancel'),
    // @ts-expect-error: another name
    () => errorText('stage_cannot_cancel', { state: 'completed' }),
    // @ts-expect-error: nothing to fill in
    () => errorText('required', { name: 'phone' }),
    // @ts-expect-error: no such key
    () => errorText('made_up'),
  ];
  expect(attempts).toHaveLength(4);
});
