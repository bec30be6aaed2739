// "What happened to my message to this number?" The whole history of a number, in one answer.

import { formatNo } from '../../domain/id.js';
import { MAX_PHONE_LENGTH, normalisePhone, phoneKey } from '../../domain/phone/phone.js';
import { type NumberHistory, readNumberHistory } from '../../store/number/number-history.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import { examples } from '../examples.js';
import { notFound } from '../problem/problem.js';
import { rejectParameters } from '../query/list-query.js';
import type { Route } from '../route.js';
import type { CustomerCall } from './access/admit.js';
import type { CustomerDeps } from './deps.js';
import { phoneFilter } from './phone-filter.js';
import { renderDelivery, renderReceipt, renderSubmit, renderUplink } from './record-view.js';
import { clientRequestIdOf } from './request-key.js';
import { NumberHistorySchema } from './schemas/records.js';

const MAX_RECORDS = 100;

export function numberRoute(deps: CustomerDeps): Route<CustomerCall> {
  return {
    method: 'GET',
    path: '/openapi/v1/messages/numbers/{phone}/',
    name: 'getNumber',
    tag: 'Messages',
    summary: 'Show what happened to a number',
    description: `Everything at one moment: the submit and delivery records of its messages, their receipts, what it wrote back, and whether it has opted out. The newest ${MAX_RECORDS} of each, newest first. A number that nothing was sent to has none.`,
    params: { phone: phoneFilter },
    answer: { status: 200, description: 'The number.', schema: NumberHistorySchema, example: examples.numberHistory },
    problems: [],
    async handle({ customer, params: { phone = '' }, requestTarget }) {
      rejectParameters(requestTarget);
      if (phone === '' || [...phone].length > MAX_PHONE_LENGTH) throw notFound();
      const normalised = normalisePhone(phone, deps.defaultRegion);
      const key = phoneKey(phone, normalised);
      const history = await readNumberHistory(deps.readers, customer, key, MAX_RECORDS);
      return {
        phone: normalised === undefined ? phone : `+${normalised}`,
        ...renderHistory(history, deps.snapshot.current()),
      };
    },
  };
}

function renderHistory(history: NumberHistory, snapshot: Snapshot) {
  const { submits, deliveries, receipts, uplinks, tasks, optedOutAt, isComplete } = history;
  const newestFirst = [...tasks].sort(([one], [other]) => (one > other ? -1 : 1));
  return {
    opted_out_at: optedOutAt?.toISOString() ?? null,
    submits: submits.map(renderSubmit),
    deliveries: deliveries.map(renderDelivery),
    receipts: receipts.map((row) => renderReceipt(row, tasks.get(row.task_id))),
    uplinks: uplinks.map((row) => renderUplink(row, snapshot)),
    tasks: newestFirst.map(([taskId, { requestKey, templateId }]) => ({
      task_no: formatNo('T', taskId),
      client_request_id: clientRequestIdOf(requestKey),
      template_no: snapshot.templateById(templateId)?.templateNo ?? null,
    })),
    is_complete: isComplete,
  };
}
