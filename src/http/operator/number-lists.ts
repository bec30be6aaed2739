import { type TObject, Type } from '@sinclair/typebox';
import { type ListedNumber, ListedNumberFields } from '../../domain/entities/terms-of-use.js';
import { type ErrorText, errorText } from '../../domain/fault/error-text.js';
import { MAX_PHONE_LENGTH, normalisePhone, phoneKey } from '../../domain/phone/phone.js';
import { toPlain } from '../../domain/plain.js';
import { capExemptions, isListedNumberKey, type NumberList, optOuts } from '../../store/number/number-list.js';
import { checkBody } from '../body/check-body.js';
import { findPhoneFaults } from '../body/check-phone.js';
import { notFound, Problem } from '../problem/problem.js';
import { answerOf, created, OptOutAnswer } from '../resources/entity-answers.js';
import {
  actorContextFor,
  defineList,
  defineOperation,
  type OperatorDeps,
  type OperatorRoute,
  readParam,
  requireCustomer,
} from './operator-route.js';

interface NumberListDefinition<Row extends ListedNumber> {
  /** The last segment of the path. */
  readonly path: string;
  /** As in `createOptOut`, `deleteOptOut` and `listOptOuts`. */
  readonly noun: string;
  readonly tag: string;
  readonly summaries: { readonly add: string; readonly remove: string; readonly list: string };
  readonly answer: TObject;
  readonly alreadyExists: ErrorText;
  readonly numbers: NumberList<Row>;
}

export function createNumberListRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    ...createRoutes(deps, {
      path: 'opt-outs',
      noun: 'OptOut',
      tag: 'Opt-outs',
      summaries: {
        add: 'Put a number on the opt-out list of a customer',
        remove: 'Take a number off the opt-out list',
        list: 'List the numbers that have opted out, in the order of the numbers',
      },
      answer: OptOutAnswer,
      alreadyExists: errorText('opt_out_exists'),
      numbers: optOuts,
    }),
    ...createRoutes(deps, {
      path: 'cap-exemptions',
      noun: 'CapExemption',
      tag: 'Caps',
      summaries: {
        add: 'Exempt a number from the caps of a customer',
        remove: 'End the exemption of a number',
        list: 'List the numbers that are exempt from caps, in the order of the numbers',
      },
      answer: answerOf(
        { $id: 'CapExemption', description: 'A number that no cap of the customer applies to.' },
        created,
        ListedNumberFields,
      ),
      alreadyExists: errorText('cap_exemption_exists'),
      numbers: capExemptions,
    }),
  ];
}

function createRoutes<Row extends ListedNumber>(
  deps: OperatorDeps,
  { path, noun, tag, summaries, answer, alreadyExists, numbers }: NumberListDefinition<Row>,
): OperatorRoute[] {
  const list = `/customers/{customer_no}/${path}`;
  return [
    defineOperation({
      method: 'POST',
      path: list,
      name: `create${noun}`,
      permission: 'configure',
      tag,
      summary: summaries.add,
      body: { schema: ListedNumberFields, example: { phone: '13800138000' } },
      answer: { status: 201, schema: answer, description: 'The number.' },
      problems: ['already_exists'],
      handle: async (call) => {
        const customer = await requireCustomer(deps, call);
        const { phone } = checkBody(ListedNumberFields, call.body, {
          defaults: true,
          refine: (body) => findPhoneFaults(body, deps.defaultRegion),
        });
        const added = await numbers.add(actorContextFor(deps, call), customer, { phone, phoneKey: keyOf(deps, phone) });
        if (added === undefined) throw new Problem('already_exists', alreadyExists);
        return renderNumber(added);
      },
    }),
    defineOperation({
      method: 'DELETE',
      path: `${list}/{phone}`,
      name: `delete${noun}`,
      permission: 'configure',
      tag,
      summary: summaries.remove,
      description: 'Any spelling of the number will do.',
      answer: { status: 200, schema: answer, description: 'The number as it was on the list.' },
      handle: async (call) => {
        const customer = await requireCustomer(deps, call);
        const key = keyOf(deps, readParam(call, 'phone'));
        const erased = deps.snapshot.current().erasedKeyOf?.(key);
        const keys = erased === undefined ? [key] : [key, erased];
        const removed = await numbers.remove(actorContextFor(deps, call), customer, keys);
        if (removed === undefined) throw notFound();
        return renderNumber(removed);
      },
    }),
    defineList({
      path: list,
      name: `list${noun}s`,
      item: answer,
      tag,
      summary: summaries.list,
      list: {
        name: path,
        timed: false,
        filters: {
          phone: Type.String({ minLength: 1, maxLength: MAX_PHONE_LENGTH, description: 'Any spelling of it.' }),
        },
        isKey: isListedNumberKey,
      },
      source: async (call, { filters: { phone } }) =>
        numbers.list(deps.sql, await requireCustomer(deps, call), phone && keyOf(deps, phone)),
      render: renderNumber,
    }),
  ];
}

function keyOf(deps: OperatorDeps, phone: string): string {
  return phoneKey(phone, normalisePhone(phone, deps.defaultRegion));
}

function renderNumber({ phone_key: _, ...listed }: ListedNumber) {
  return toPlain(listed);
}
