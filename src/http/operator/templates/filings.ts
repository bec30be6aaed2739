// Which carriers have the signature of a service account on file.

import { FilingFields } from '../../../domain/entities/filing.js';
import { errorText } from '../../../domain/fault/error-text.js';
import { createFault } from '../../../domain/fault/fault.js';
import { toPlain } from '../../../domain/plain.js';
import { listFromArray } from '../../../store/list.js';
import { readServiceAccount } from '../../../store/operator/service-account.js';
import { readFilings, setFiling } from '../../../store/operator/templates/filing.js';
import { checkBody } from '../../body/check-body.js';
import { invalidRequest, notFound } from '../../problem/problem.js';
import { FilingAnswer } from '../answers.js';
import {
  defineChange,
  defineList,
  type OperatorDeps,
  type OperatorRoute,
  readParam,
  requireCustomer,
} from '../operator-route.js';

const tag = 'Service accounts';
const path = '/customers/{customer_no}/service-accounts/{service_account_no}/filings';

export function createFilingRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    defineChange(deps, {
      method: 'POST',
      path,
      name: 'setFiling',
      tag,
      summary: 'Set the filing status of a signature at a channel',
      description:
        'A channel with `requires_filing` carries only what is `filed` with it. A filing holds for the signature of that moment; sent again, it replaces what was said before.',
      body: { schema: FilingFields, example: { channel_no: 'H…', status: 'filed' } },
      answer: { status: 201, schema: FilingAnswer, description: 'The filing.' },
      change: async (call, context) => {
        const customer = await requireCustomer(deps, call);
        const terms = checkBody(FilingFields, call.body, { defaults: true });
        const accountNo = readParam(call, 'service_account_no');
        const outcome = await setFiling(context, customer, accountNo, terms);
        if (outcome.kind === 'no_service_account') throw notFound();
        if (outcome.kind === 'no_channel') {
          throw invalidRequest([createFault('/channel_no', 'out_of_range', errorText('unknown_channel'))]);
        }
        return toPlain(outcome.filing);
      },
    }),
    defineList({
      path,
      name: 'listFilings',
      item: FilingAnswer,
      tag,
      summary: 'List the filings of a service account',
      list: { name: 'filings', timed: false, filters: {}, isKey: () => true },
      source: async (call) => {
        const { customerId } = await requireCustomer(deps, call);
        const account = await readServiceAccount(deps.sql, customerId, readParam(call, 'service_account_no'));
        if (account === undefined) throw notFound();
        return listFromArray(await readFilings(deps.sql, account.service_account_id), ({ channel_no }) => channel_no);
      },
      render: toPlain,
    }),
  ];
}
