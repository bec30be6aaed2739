// The operators of the platform.

import { permissionsOf } from '../../domain/access/permissions.js';
import { isReservedName, type Operator, OperatorChanges, OperatorFields } from '../../domain/entities/operator.js';
import { errorText } from '../../domain/fault/error-text.js';
import { createFault, type Fault } from '../../domain/fault/fault.js';
import { formatNo } from '../../domain/id.js';
import { toPlain } from '../../domain/plain.js';
import {
  changeOperator,
  createOperator,
  listOperators,
  readOperator,
  removeOperator,
} from '../../store/operator/operator.js';
import { checkBody } from '../body/check-body.js';
import { notFound, Problem } from '../problem/problem.js';
import { oneOf } from '../query/list-query.js';
import { hashToken } from '../token-hash.js';

import { IdentityAnswer, NewOperatorAnswer, OperatorAnswer } from './answers.js';
import {
  defineChange,
  defineOperation,
  defineShowAndList,
  type OperatorDeps,
  type OperatorRoute,
  readParam,
} from './operator-route.js';

const tag = 'Operators';
const TOKEN_BYTES = 32;

export function createOperatorRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    defineChange(deps, {
      method: 'POST',
      path: '/operators',
      name: 'createOperator',
      permission: 'administer',
      tag,
      summary: 'Create an operator',
      description: "The name can't be changed later: the audit log identifies operators by it.",
      body: { schema: OperatorFields, example: { name: 'Ann', role: 'support' } },
      answer: {
        status: 201,
        schema: NewOperatorAnswer,
        description: 'The operator and their token. The token is shown this once and never again.',
      },
      problems: ['already_exists'],
      change: async (call, context) => {
        const terms = checkBody(OperatorFields, call.body, { defaults: true, refine: checkName });
        const token = `op_${deps.randomBytes(TOKEN_BYTES).toString('base64url')}`;
        const operatorNo = formatNo('P', deps.nextId());
        const operator = await createOperator(context, operatorNo, terms, hashToken(token));
        if (operator === undefined) {
          throw new Problem('already_exists', errorText('operator_name_taken'));
        }
        return { ...render(operator), token };
      },
    }),
    defineChange(deps, {
      method: 'PATCH',
      path: '/operators/{operator_no}',
      name: 'changeOperator',
      permission: 'administer',
      tag,
      summary: 'Change the role of an operator',
      body: { schema: OperatorChanges, example: { role: 'viewer' } },
      answer: { status: 200, schema: OperatorAnswer, description: 'The operator as they then are.' },
      change: async (call, context) => {
        const operatorNo = readParam(call, 'operator_no');
        const current = await readOperator(deps.sql, operatorNo);
        if (current === undefined) throw notFound();
        const body = checkBody(OperatorChanges, call.body, {
          defaults: false,
          refine: ({ name }) => (name === undefined || name === current.name ? [] : [NAME_FIXED]),
        });
        return changeOperator(context, operatorNo, body);
      },
      render,
    }),
    defineChange(deps, {
      method: 'DELETE',
      path: '/operators/{operator_no}',
      name: 'removeOperator',
      permission: 'administer',
      tag,
      summary: 'Remove an operator',
      description: 'For good: their token is refused on every node within two seconds. Harmless when repeated.',
      answer: { status: 200, schema: OperatorAnswer, description: 'The operator, removed.' },
      change: (call, context) => removeOperator(context, readParam(call, 'operator_no')),
      render,
    }),
    ...defineShowAndList({
      tag,
      path: '/operators',
      key: 'operator_no',
      item: OperatorAnswer,
      render,
      show: {
        name: 'getOperator',
        summary: 'Show an operator',
        answer: 'The operator, without their token.',
        find: (_, operatorNo) => readOperator(deps.sql, operatorNo),
      },
      list: {
        name: 'listOperators',
        summary: 'List operators, without their tokens',
        description: '`root`, the token of the configuration, is not among them.',
        definition: {
          name: 'operators',
          timed: false,
          filters: { status: oneOf(['active', 'removed'], 'Only with this status.') },
        },
        source: async (_, { filters }) => listOperators(deps.sql, filters),
      },
    }),
    defineOperation({
      method: 'GET',
      path: '/me',
      name: 'getIdentity',
      permission: 'read',
      tag,
      summary: 'Show whose token this is',
      answer: { status: 200, schema: IdentityAnswer, description: 'Name, role, and what the role may do.' },
      handle: async ({ actor, role }) => ({ name: actor, role, permissions: permissionsOf(role) }),
    }),
  ];
}

const NAME_FIXED: Fault = createFault('/name', 'out_of_range', errorText('operator_name_fixed'));

function checkName({ name }: { readonly name?: string | undefined }): Fault[] {
  if (name === undefined || !isReservedName(name)) return [];
  return [createFault('/name', 'out_of_range', errorText('name_reserved'))];
}

function render({ operator_id: _, ...operator }: Operator) {
  return toPlain(operator);
}
