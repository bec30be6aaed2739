import { Type } from '@sinclair/typebox';
import { type CapExemption, CapExemptionFields } from '../../domain/entities/terms-of-use.js';
import { toPlain } from '../../domain/plain.js';
import { MAX_PHONE_LENGTH, normalisePhone, phoneKey } from '../../domain/plan/phone.js';
import { errorText } from '../../domain/request/error-text.js';
import { createFault } from '../../domain/request/fault.js';
import { createCapExemption, deleteCapExemption, listCapExemptions } from '../../store/operator/cap-exemption.js';
import { checkBody } from '../check-body.js';
import { answerOf, created } from '../entity-answers.js';
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

const tag = 'Caps';

const CapExemptionAnswer = answerOf('CapExemption', created, CapExemptionFields);

const exemptionList = {
  name: 'cap-exemptions',
  timed: false,
  filters: { phone: Type.String({ minLength: 1, maxLength: MAX_PHONE_LENGTH, description: 'Any spelling of it.' }) },
  isKey: (text: string) => /^-?\d{1,18}$/.test(text),
} as const;

export function createCapExemptionRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    defineOperation({
      method: 'POST',
      path: '/customers/{customer_no}/cap-exemptions',
      name: 'createCapExemption',
      permission: 'configure',
      tag,
      summary: 'Exempt a number from the caps of a customer',
      body: { schema: CapExemptionFields, example: { phone: '13800138000' } },
      answer: { status: 201, schema: CapExemptionAnswer, description: 'The number.' },
      problems: ['already_exists'],
      handle: async (call) => {
        const customer = await requireCustomer(deps, call);
        const { phone } = checkBody(CapExemptionFields, call.body, {
          defaults: true,
          refine: (body) =>
            body.phone === undefined || normalisePhone(body.phone, deps.defaultRegion) !== undefined
              ? []
              : [createFault('/phone', 'format', errorText('not_phone'))],
        });
        const key = { phone, phoneKey: keyOf(deps, phone) };
        const exemption = await createCapExemption(actorContextFor(deps, call), customer, key);
        if (exemption === undefined) throw new Problem('already_exists', errorText('cap_exemption_exists'));
        return renderExemption(exemption);
      },
    }),
    defineOperation({
      method: 'DELETE',
      path: '/customers/{customer_no}/cap-exemptions/{phone}',
      name: 'deleteCapExemption',
      permission: 'configure',
      tag,
      summary: 'End the exemption of a number',
      description: 'Any spelling of the number will do.',
      answer: { status: 200, schema: CapExemptionAnswer, description: 'The number as it was on the list.' },
      handle: async (call) => {
        const customer = await requireCustomer(deps, call);
        const key = keyOf(deps, readParam(call, 'phone'));
        const exemption = await deleteCapExemption(actorContextFor(deps, call), customer, key);
        if (exemption === undefined) throw notFound();
        return renderExemption(exemption);
      },
    }),
    defineList({
      path: '/customers/{customer_no}/cap-exemptions',
      name: 'listCapExemptions',
      item: CapExemptionAnswer,
      tag,
      summary: 'List the numbers that are exempt from caps, in the order of the numbers',
      list: exemptionList,
      source: async (call, { filters: { phone } }) => {
        const customer = await requireCustomer(deps, call);
        return listCapExemptions(deps.sql, customer, phone === undefined ? undefined : keyOf(deps, phone));
      },
      render: renderExemption,
    }),
  ];
}

function keyOf(deps: OperatorDeps, phone: string): string {
  return phoneKey(phone, normalisePhone(phone, deps.defaultRegion));
}

function renderExemption({ phone_key: _, ...exemption }: CapExemption) {
  return toPlain(exemption);
}
