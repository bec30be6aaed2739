// The customer's own keys, for keys with the scope `admin`.

import { Type } from '@sinclair/typebox';
import { type Credential, CredentialFields } from '../../domain/entities/credential.js';
import { toPlain } from '../../domain/plain.js';
import { listFromArray } from '../../store/list.js';
import { createCredential, createKeyPair, readCredentials, revokeCredential } from '../../store/operator/credential.js';
import { checkBody } from '../body/check-body.js';
import { examples } from '../examples.js';
import { notFound } from '../problem/problem.js';
import { rejectParameters } from '../query/list-query.js';
import { CredentialAnswer, credentialFields, tooManyKeys } from '../resources/credential-answers.js';
import { answerOf } from '../resources/entity-answers.js';
import type { Route } from '../route.js';
import type { CustomerCall } from './access/admit.js';
import type { CustomerDeps } from './deps.js';
import { listRoute, openList } from './lists.js';

const PATH = '/openapi/v1/credentials/';
const tag = 'Configuration';
const shownOnce = { description: 'The secret, shown this once. Both names have the same value.' };
const NewOwnCredentialAnswer = answerOf(
  'NewOwnCredential',
  { ...credentialFields, api_secret: Type.String(shownOnce), secret: Type.String(shownOnce) },
  CredentialFields,
);

export function credentialRoutes(deps: CustomerDeps): Route<CustomerCall>[] {
  const { sql, credentials } = deps;
  const actorContextFor = ({ actor }: CustomerCall) => ({ sql, actor });
  const ownerOf = ({ customer }: CustomerCall) => ({ ...customer, customer_no: customer.customerNo });
  return [
    listRoute(deps, {
      path: PATH,
      name: 'listOwnCredentials',
      tag,
      summary: 'List your API keys, without their secrets',
      description: 'Newest first, revoked ones included. `last_used_at` is exact to the minute.',
      list: { name: 'own-credentials', timed: false, filters: {}, isKey: () => true },
      item: CredentialAnswer,
      example: examples.credential,
      open: async (_, { customer }) =>
        openList(
          listFromArray(await readCredentials(sql, customer.customerId), ({ api_key }) => api_key),
          (rows) => rows.map((row: Credential) => toPlain(row)),
        ),
    }),
    {
      method: 'POST',
      path: PATH,
      name: 'createOwnCredential',
      tag,
      summary: 'Create an API key',
      body: {
        schema: CredentialFields,
        example: { name: 'Nightly report', scopes: ['read', 'finance'] },
        optional: true,
      },
      answer: {
        status: 201,
        schema: NewOwnCredentialAnswer,
        description: 'The key and its secret. Copy the secret now: it is not shown again.',
        example: { ...examples.credential, api_secret: 'sk_…', secret: 'sk_…' },
      },
      problems: [],
      handle: async (call) => {
        rejectParameters(call.requestTarget);
        const terms = checkBody(CredentialFields, call.body ?? {}, { defaults: true });
        const keys = createKeyPair(credentials.randomBytes);
        const created = await createCredential(actorContextFor(call), credentials.sealer, ownerOf(call), keys, terms);
        if (created === undefined) throw tooManyKeys();
        await credentials.refreshSnapshot();
        return { ...toPlain(created), api_secret: keys.api_secret, secret: keys.api_secret };
      },
    },
    {
      method: 'DELETE',
      path: `${PATH}{api_key}/`,
      name: 'revokeOwnCredential',
      tag,
      summary: 'Revoke an API key',
      description: "This can't be undone. Every node refuses the key within two seconds. Harmless when repeated.",
      params: { api_key: Type.String({ description: 'The key.' }) },
      answer: { status: 200, schema: CredentialAnswer, description: 'The key, revoked.', example: examples.credential },
      problems: ['not_found'],
      handle: async (call) => {
        rejectParameters(call.requestTarget);
        const revoked = await revokeCredential(actorContextFor(call), ownerOf(call), call.params.api_key ?? '');
        if (revoked === undefined) throw notFound();
        await credentials.refreshSnapshot();
        return toPlain(revoked);
      },
    },
  ];
}
