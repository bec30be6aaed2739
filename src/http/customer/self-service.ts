// What the caller may send with: service accounts and firms, and the numbers that have opted out.

import { Type } from '@sinclair/typebox';
import type { CustomerConfig } from '../../domain/entities/customer.js';
import { pickFields } from '../../domain/entities/fields.js';
import { UsableFirmFields } from '../../domain/entities/firm.js';
import { OwnServiceAccountFields, type ServiceAccount } from '../../domain/entities/service-account.js';
import { MAX_PHONE_LENGTH, normalisePhone, phoneKey } from '../../domain/phone/phone.js';
import { toPlain } from '../../domain/plain.js';
import { listFromArray } from '../../store/list.js';
import { isListedNumberKey, optOuts } from '../../store/number/number-list.js';
import { listServiceAccounts } from '../../store/operator/service-account.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import { examples } from '../examples.js';
import { answerOf, changed, OptOutAnswer } from '../resources/entity-answers.js';
import type { Route } from '../route.js';
import type { CustomerCall } from './access/admit.js';
import type { CustomerDeps } from './deps.js';
import { listRoute, openList } from './lists.js';
import { Amount } from './schemas/fields.js';

const OwnServiceAccountAnswer = answerOf(
  'OwnServiceAccount',
  { service_account_no: Type.String(), ...changed },
  OwnServiceAccountFields,
);

const UsableFirmAnswer = answerOf(
  { $id: 'UsableFirm', description: 'A carrier that the customer may use.' },
  { unit_price: Amount('Of one segment for the caller.'), currency: Type.String() },
  UsableFirmFields,
);

const accountList = { name: 'own-service-accounts', timed: false, filters: {} } as const;
const firmList = { name: 'own-firms', timed: false, filters: {}, isKey: () => true } as const;
const optOutList = {
  name: 'own-opt-outs',
  timed: false,
  filters: { phone: Type.String({ minLength: 1, maxLength: MAX_PHONE_LENGTH, description: 'Any spelling of it.' }) },
  isKey: isListedNumberKey,
} as const;

export function selfServiceRoutes(deps: CustomerDeps): Route<CustomerCall>[] {
  const { snapshot, defaultRegion } = deps;
  return [
    listRoute(deps, {
      ...describe('service-accounts', 'listOwnServiceAccounts', 'List your service accounts'),
      description: 'The addresses that your messages can come from.',
      list: accountList,
      item: OwnServiceAccountAnswer,
      example: examples.serviceAccount,
      open: async (sql, { customer }) =>
        openList(listServiceAccounts(sql, customer.customerId), (rows) => rows.map(renderServiceAccount)),
    }),
    listRoute(deps, {
      ...describe('firms', 'listUsableFirms', 'List the carriers you can use'),
      description: 'Those that an active channel granted to you serves, by name, with what a segment costs you there.',
      list: firmList,
      item: UsableFirmAnswer,
      example: examples.usableFirm,
      open: async (_, { customer }) => {
        const firms = findUsableFirms(snapshot.current(), customer, new Date(deps.now()));
        return openList(
          listFromArray(firms, ({ firm }) => firm),
          (rows) => rows.map(toPlain),
        );
      },
    }),
    listRoute(deps, {
      ...describe('opt-outs', 'listOwnOptOuts', 'List the numbers that have opted out'),
      description: 'They are rejected with `opted_out` in every send of yours. In the order of the numbers.',
      list: optOutList,
      item: OptOutAnswer,
      example: examples.optOut,
      open: async (sql, { customer }, { filters: { phone } }) => {
        const key = phone === undefined ? undefined : phoneKey(phone, normalisePhone(phone, defaultRegion));
        return openList(optOuts.list(sql, customer, key), (rows) =>
          rows.map(({ phone_key: _, ...optOut }) => toPlain(optOut)),
        );
      },
    }),
  ];
}

function describe(noun: string, name: string, summary: string) {
  return { path: `/openapi/v1/${noun}/`, name, tag: 'Configuration', summary } as const;
}

function renderServiceAccount({ service_account_no, created_at, updated_at, ...account }: ServiceAccount) {
  return toPlain({ service_account_no, ...pickFields(OwnServiceAccountFields, account), created_at, updated_at });
}

function findUsableFirms(snapshot: Snapshot, { customerId, currency }: CustomerConfig, now: Date) {
  const served = new Set(snapshot.grantedChannels(customerId).flatMap((channel) => channel.firms));
  return snapshot
    .firms()
    .filter(({ firm }) => served.has(firm))
    .map((firm) => ({
      ...pickFields(UsableFirmFields, firm),
      unit_price: snapshot.priceOf(customerId, firm.firm, 'notice')('', now),
      currency,
    }))
    .sort((one, other) => (one.firm < other.firm ? -1 : 1));
}
