// Channels that are held because the database may have lost commits: what may have been sent, and their release.

import { Type } from '@sinclair/typebox';
import { ReleaseFields } from '../../../domain/entities/recovery.js';
import { recordAudit } from '../../../store/operator/change.js';
import { HOLD_REASONS, openChannels, readRecovery, readServer } from '../../../store/recovery/timeline.js';
import { checkBody } from '../../body/check-body.js';
import { oneOf } from '../../query/list-query.js';
import { answerOf, orNull, Time } from '../../resources/entity-answers.js';
import { defineOperation, type OperatorDeps, type OperatorRoute } from '../operator-route.js';

const tag = 'Recovery';
const MAX_CUSTOMERS = 1000;

const Count = (description: string) => Type.Integer({ minimum: 0, description });

const RecoveryAnswer = answerOf(
  { $id: 'Recovery', description: 'Whether channels are held because the database may have lost commits.' },
  {
    state: oneOf(['open', 'held'], '`held`: no channel is open until an operator releases them.'),
    reason: orNull(
      oneOf(
        HOLD_REASONS,
        '`lost_commits`: a commit that the database confirmed is missing. `unproven`: after a failover no running process can verify it. `other_system`: another database answers at this address. `restored`: `postrider recover` was run.',
      ),
    ),
    detail: orNull(Type.String({ description: 'What was seen.' })),
    held_at: orNull(Time()),
    system_identifier: orNull(Type.String({ description: 'Of the database that the service knows.' })),
    timeline: orNull(Type.Integer({ description: 'Of the database that the service knows.' })),
    under_way: Type.Array(
      answerOf(
        { $id: 'UnderWay', description: 'What may have been sent of one customer.' },
        {
          customer_no: Type.String(),
          tasks: Count('Tasks with queued numbers that read as unsent.'),
          numbers: Count('Those numbers. They may have been sent.'),
          waiting_tasks: Count('Tasks that continue without a call and have nothing queued yet.'),
        },
      ),
      { description: 'While held: what was accepted before the hold and reads as unsent, the largest first.' },
    ),
  },
);

const ReleaseAnswer = answerOf(
  { $id: 'Release', description: 'What the release of held channels changed.' },
  {
    state: oneOf(['open', 'held'], '`open`: channels may send.'),
    marked_tasks: Count('Tasks with numbers that were marked unconfirmed.'),
    marked_numbers: Count('Numbers that were marked unconfirmed.'),
    paused_tasks: Count('Tasks that were paused: resume or cancel each.'),
  },
);

export function createRecoveryRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    defineOperation({
      method: 'GET',
      path: '/recovery',
      name: 'getRecovery',
      permission: 'read',
      tag,
      summary: 'Show whether channels are held, and what may have been sent',
      description:
        'Channels are held when the database may have lost commits: after a failover to a standby that was behind, or a restore.',
      answer: { status: 200, schema: RecoveryAnswer, description: 'The state, and what was under way.' },
      handle: async () => showRecovery(deps),
    }),
    defineOperation({
      method: 'POST',
      path: '/recovery/release',
      name: 'releaseChannels',
      permission: 'configure',
      tag,
      summary: 'Release channels that are held',
      description:
        'Decides what happens to what may have been sent, then opens the channels. Changes nothing where they are not held.',
      body: { schema: ReleaseFields, example: { unsent: 'unknown', remark: 'Compared with the carrier' } },
      answer: { status: 200, schema: ReleaseAnswer, description: 'The channels open within seconds.' },
      handle: async (call) => {
        const { unsent, remark } = checkBody(ReleaseFields, call.body, { defaults: true });
        return await release(deps, call.actor, unsent, remark);
      },
    }),
  ];
}

async function showRecovery({ sql, snapshot, recovery }: OperatorDeps) {
  const { state, reason, detail, heldAt, systemIdentifier, timeline } = await readRecovery(sql);
  const underWay = heldAt === null ? [] : await recovery.readUnderWay(heldAt);
  return {
    state,
    reason,
    detail,
    held_at: heldAt?.toISOString() ?? null,
    system_identifier: systemIdentifier,
    timeline,
    under_way: underWay.slice(0, MAX_CUSTOMERS).map(({ customerId, tasks, numbers, waitingTasks }) => ({
      customer_no: snapshot.current().customer(customerId)?.customerNo ?? '',
      tasks,
      numbers,
      waiting_tasks: waitingTasks,
    })),
  };
}

async function release(deps: OperatorDeps, actor: string, unsent: 'unknown' | 'send', remark: string | null) {
  const { sql, recovery } = deps;
  const { heldAt, reason } = await readRecovery(sql);
  const nothing = { tasks: 0, numbers: 0, pausedTasks: 0 };
  const marked = heldAt === null || unsent === 'send' ? nothing : await recovery.markUnsentUnknown(heldAt);
  const { tasks: marked_tasks, numbers: marked_numbers, pausedTasks: paused_tasks } = marked;
  const counts = { marked_tasks, marked_numbers, paused_tasks };
  const server = await readServer(sql);
  await sql.begin(async (tx) => {
    if (!(await openChannels(tx, server))) return;
    const change = { unsent, remark, reason, ...counts };
    await recordAudit(tx, actor, { action: 'channels.release', subject: 'channels', change });
  });
  return { state: 'open', ...counts };
}
