import { Type } from '@sinclair/typebox';
import { type OptOut, OptOutFields } from '../../domain/entities/terms-of-use.js';
import { toPlain } from '../../domain/plain.js';
import { MAX_PHONE_LENGTH, normalisePhone, phoneKey } from '../../domain/plan/phone.js';
import { errorText } from '../../domain/request/error-text.js';
import { createFault } from '../../domain/request/fault.js';
import { createOptOut, deleteOptOut, listOptOuts } from '../../store/operator/opt-out.js';
import { checkBody } from '../check-body.js';
import { OptOutAnswer } from '../entity-answers.js';
import { notFound, Problem } from '../problem.js';
import {
  actorContextFor,
  defineList,
  defineOperation,
  type OperatorDeps,
  type OperatorRoute,
  readParam,
  requireCustomer,
} from './operator-route.js';

const tag = 'Opt-outs';

const optOutList = {
  name: 'opt-outs',
  timed: false,
  filters: { phone: Type.String({ minLength: 1, maxLength: MAX_PHONE_LENGTH, description: 'Any spelling of it.' }) },
  isKey: (text: string) => /^-?\d{1,18}$/.test(text),
} as const;

export function createOptOutRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    defineOperation({
      method: 'POST',
      path: '/customers/{customer_no}/opt-outs',
      name: 'createOptOut',
      permission: 'configure',
      tag,
      summary: 'Put a number on the opt-out list of a customer',
      body: { schema: OptOutFields, example: { phone: '13800138000' } },
      answer: { status: 201, schema: OptOutAnswer, description: 'The number.' },
      problems: ['already_exists'],
      handle: async (call) => {
        const customer = await requireCustomer(deps, call);
        const { phone } = checkBody(OptOutFields, call.body, {
          defaults: true,
          refine: (body) =>
            body.phone === undefined || normalisePhone(body.phone, deps.defaultRegion) !== undefined
              ? []
              : [createFault('/phone', 'format', errorText('not_phone'))],
        });
        const optOut = await createOptOut(actorContextFor(deps, call), customer, {
          phone,
          phoneKey: keyOf(deps, phone),
        });
        if (optOut === undefined) throw new Problem('already_exists', errorText('opt_out_exists'));
        return renderOptOut(optOut);
      },
    }),
    defineOperation({
      method: 'DELETE',
      path: '/customers/{customer_no}/opt-outs/{phone}',
      name: 'deleteOptOut',
      permission: 'configure',
      tag,
      summary: 'Take a number off the opt-out list',
      description: 'Any spelling of the number will do.',
      answer: { status: 200, schema: OptOutAnswer, description: 'The number as it was on the list.' },
      handle: async (call) => {
        const customer = await requireCustomer(deps, call);
        const optOut = await deleteOptOut(actorContextFor(deps, call), customer, keyOf(deps, readParam(call, 'phone')));
        if (optOut === undefined) throw notFound();
        return renderOptOut(optOut);
      },
    }),
    defineList({
      path: '/customers/{customer_no}/opt-outs',
      name: 'listOptOuts',
      item: OptOutAnswer,
      tag,
      summary: 'List the numbers that have opted out, in the order of the numbers',
      list: optOutList,
      source: async (call, { filters: { phone } }) =>
        listOptOuts(deps.sql, await requireCustomer(deps, call), phone === undefined ? undefined : keyOf(deps, phone)),
      render: renderOptOut,
    }),
  ];
}

function keyOf(deps: OperatorDeps, phone: string): string {
  return phoneKey(phone, normalisePhone(phone, deps.defaultRegion));
}

function renderOptOut({ phone_key: _, ...optOut }: OptOut) {
  return toPlain(optOut);
}
