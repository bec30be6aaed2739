// How long history is kept, month by month, and what the last run deleted.

import { Type } from '@sinclair/typebox';
import { planRetention, readLastRun } from '../../../store/retention/plan.js';
import { oneOf } from '../../query/list-query.js';
import { answerOf, orNull, Time } from '../../resources/entity-answers.js';
import { defineOperation, type OperatorDeps, type OperatorRoute } from '../operator-route.js';

const DAY_MS = 86_400_000;

const Count = (description: string) => Type.Integer({ minimum: 0, description });

const RetentionAnswer = answerOf(
  { $id: 'Retention', description: 'Which history is kept, and until when.' },
  {
    kept_days: orNull(Type.Number({ description: '`POSTRIDER_RETENTION` in days. Null: history is kept forever.' })),
    months: Type.Array(
      answerOf(
        { $id: 'RetentionMonth', description: 'The history of one month, UTC.' },
        {
          month: Type.String({ description: '`YYYY-MM`.' }),
          state: oneOf(
            ['kept', 'due', 'open', 'ended'],
            '`due`: the next run deletes it. `open`: due, and something in it is not finished. `ended`: deleted.',
          ),
          ends_at: orNull(Time('When its history ends, or when it ended. Null: never.')),
          records: Count('As the database estimates them; of an ended month, the rows that were deleted.'),
          bytes: Count('On disk, of records that are kept by month.'),
          open_tasks: Count('Tasks that keep a due month, counted up to a limit.'),
          unsummed_customers: Count('Customers whose statistics keep a due month.'),
        },
      ),
      { description: 'Oldest first.' },
    ),
    last_run: orNull(
      answerOf(
        { $id: 'RetentionRun', description: 'The last month whose history was deleted, or is being deleted.' },
        {
          month: Type.String({ description: '`YYYY-MM`: everything up to the end of this month.' }),
          state: oneOf(['running', 'done'], '`running`: the service deletes in small steps.'),
          ended_at: orNull(Time('Null while it runs.')),
          deleted: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), { description: 'Rows, by table.' }),
        },
      ),
    ),
  },
);

export function createRetentionRoutes({ readers, retentionMs }: OperatorDeps): OperatorRoute[] {
  return [
    defineOperation({
      method: 'GET',
      path: '/retention',
      name: 'getRetention',
      permission: 'read',
      tag: 'Retention',
      summary: 'Show how long history is kept',
      description:
        'Every month of history with its end by `POSTRIDER_RETENTION`, and what the last run deleted. Ledger, statements and statistics stay.',
      answer: { status: 200, schema: RetentionAnswer, description: 'The months, oldest first, and the last run.' },
      handle: async () => {
        const months = await planRetention(readers, retentionMs);
        return {
          kept_days: retentionMs === null ? null : retentionMs / DAY_MS,
          months: months.map(({ ends_at, ...month }) => ({ ...month, ends_at: ends_at?.toISOString() ?? null })),
          last_run: await readLastRun(readers),
        };
      },
    }),
  ];
}
