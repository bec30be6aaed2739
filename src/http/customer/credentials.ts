// The customer's own keys, for keys with the scope `admin`.

import { Type } from '@sinclair/typebox';
import { parseNetworks } from '../../domain/access/network-list.js';
import { type Credential, CredentialFields, type CredentialTerms } from '../../domain/entities/credential.js';
import { errorText } from '../../domain/fault/error-text.js';
import { createFault, type Fault } from '../../domain/fault/fault.js';
import { listFromArray } from '../../store/list.js';
import { createCredential, createKeyPair, readCredentials, revokeCredential } from '../../store/operator/credential.js';
import { checkBody } from '../body/check-body.js';
import { examples } from '../examples.js';
import { notFound } from '../problem/problem.js';
import { rejectParameters } from '../query/list-query.js';
import {
  CredentialAnswer,
  credentialFields,
  findExpiryFaults,
  showCredential,
  tooManyKeys,
} from '../resources/credential-answers.js';
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

type Caller = CustomerCall['key'];

/** A key makes none that works from where it does not: it would be the way around its limit. */
function findForeignAddresses({ ip_allow: wanted = [] }: Partial<CredentialTerms>, key: Caller): Fault[] {
  const { ipAllow = [] } = key ?? {};
  if (ipAllow.length === 0) return [];
  const networks = parseNetworks(ipAllow);
  const isWithin = (block: string) => ipAllow.includes(block) || networks?.includes(block) === true;
  const message = errorText('not_one_of', { choices: ipAllow.join(', ') });
  return wanted.flatMap((block, index) =>
    isWithin(block) ? [] : [createFault(`/ip_allow/${index}`, 'out_of_range', message)],
  );
}

/** Nor one that outlives it. */
function limitToCaller(terms: CredentialTerms, key: Caller): CredentialTerms {
  if (key === undefined) return terms;
  const { ipAllow, expiresAt } = key;
  const outlives = expiresAt !== null && (terms.expires_at === null || terms.expires_at > expiresAt);
  return {
    ...terms,
    expires_at: outlives ? expiresAt : terms.expires_at,
    ip_allow: terms.ip_allow.length === 0 ? [...ipAllow] : terms.ip_allow,
  };
}

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
          (rows) => rows.map((row: Credential) => showCredential(row, deps.now())),
        ),
    }),
    {
      method: 'POST',
      path: PATH,
      name: 'createOwnCredential',
      tag,
      summary: 'Create an API key',
      description:
        'A key that has `expires_at` or `ip_allow` makes no key beyond them: what is left out is taken from it, and a later end is cut.',
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
        const given = checkBody(CredentialFields, call.body ?? {}, {
          defaults: true,
          refine: (body) => [...findExpiryFaults(body, deps.now()), ...findForeignAddresses(body, call.key)],
        });
        const terms = limitToCaller(given, call.key);
        const keys = createKeyPair(credentials.randomBytes);
        const created = await createCredential(actorContextFor(call), credentials.sealer, ownerOf(call), keys, terms);
        if (created === undefined) throw tooManyKeys();
        await credentials.refreshSnapshot();
        return { ...showCredential(created, deps.now()), api_secret: keys.api_secret, secret: keys.api_secret };
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
        return showCredential(revoked, deps.now());
      },
    },
  ];
}
