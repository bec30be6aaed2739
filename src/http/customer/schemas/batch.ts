// The tasks that were sent under one batch_id.

import { Type } from '@sinclair/typebox';
import { MAX_BATCH_ID_CHARACTERS, MAX_TITLE_CHARACTERS } from '../../../domain/request/send-request.js';
import { STAGES } from '../../../domain/task/stages.js';
import { MOVE_NAMES } from '../../../domain/task/task-moves.js';
import { orNull, Time } from '../../resources/entity-answers.js';
import { Count } from './fields.js';
import { amounts, counts } from './task.js';

/** The filter that lists of what belongs to tasks have in common. */
export const batchFilter = Type.String({
  minLength: 1,
  maxLength: MAX_BATCH_ID_CHARACTERS,
  description: 'Only of the tasks of this batch.',
});

export const titleFilter = Type.String({
  minLength: 1,
  maxLength: MAX_TITLE_CHARACTERS,
  description: 'Only with a title that begins so.',
});

const batchFields = {
  batch_id: Type.String(),
  title: orNull(Type.String({ description: 'Of its first task.' })),
  tasks: Type.Integer({ minimum: 1 }),
  deleted_tasks: Count(
    'How many more tasks it had, which were deleted with the history of their months. They are in none of the sums.',
  ),
  stages: Type.Partial(Type.Object(Object.fromEntries(STAGES.map((stage) => [stage, Type.Integer({ minimum: 1 })]))), {
    description: 'How many of its tasks are in each stage; those that none is in are left out.',
  }),
  paused: Count('How many of its tasks are paused, and wait to be resumed.'),
  moves: Type.Partial(Type.Object(Object.fromEntries(MOVE_NAMES.map((move) => [move, Type.Integer({ minimum: 1 })]))), {
    description: 'How many of its tasks each move would change now; moves that would change none are left out.',
  }),
  counts: counts('The numbers of all its tasks.'),
  cancelled: Count('Of `counts.rejected`: not sent, because the task was cancelled or its time was up.'),
  amounts: amounts(
    'What reserving its prepared tasks takes; null while none is prepared.',
    'Decimal strings, the sums over all its tasks.',
  ),
  created_at: Time('When its first task was accepted.'),
  updated_at: Time(),
  completed_at: orNull(Time('When the last of its tasks ended; null while one has not.')),
};

export const BatchSchema = Type.Object(batchFields, {
  $id: 'Batch',
  description: 'The tasks that were sent under one `batch_id`, added up; exact at the moment of the answer.',
});

export const MovedBatchSchema = Type.Object(
  {
    ...batchFields,
    applied: Count('The tasks that the move changed; none on a repeat.'),
  },
  { $id: 'MovedBatch' },
);
