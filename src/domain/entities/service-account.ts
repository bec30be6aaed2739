// An address that messages of a customer come from.

import { type Static, Type } from '@sinclair/typebox';
import type { CustomerId } from '../id.js';
import { inForm } from '../request/text-forms.js';
import { changeOf, closedObject, type InCode, line, nullable, words } from './fields.js';

export const ServiceAccountFields = closedObject({
  name: line(200, 'What people call it.'),
  sender: Type.String({
    minLength: 1,
    maxLength: 20,
    ...inForm('ascii'),
    description: 'The address that handsets see: a number such as 10690001, or a name.',
  }),
  signature: nullable(Type.String({ minLength: 2, maxLength: 20, ...inForm('signature') }), {
    default: null,
    description: 'Sent as 【signature】 with every text, and counted and priced with it; null: none.',
  }),
  signature_position: words(['head', 'tail'], { default: 'head', description: 'Before the text or behind it.' }),
  status: words(['active', 'disabled'], { default: 'active', description: 'A disabled one cannot be sent from.' }),
});
export const ServiceAccountChanges = changeOf(ServiceAccountFields);

/** What its customer sees, each by name: a field that is added for operators stays with them. */
export const OwnServiceAccountFields = Type.Pick(ServiceAccountFields, [
  'name',
  'sender',
  'signature',
  'signature_position',
  'status',
]);

export type ServiceAccountTerms = Static<typeof ServiceAccountFields>;

export interface ServiceAccount extends ServiceAccountTerms {
  readonly service_account_id: bigint;
  readonly service_account_no: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** As the service uses it. */
export interface ServiceAccountConfig extends InCode<ServiceAccountTerms> {
  readonly serviceAccountId: bigint;
  readonly serviceAccountNo: string;
  readonly customerId: CustomerId;
}
