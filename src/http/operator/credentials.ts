import { listFromArray } from '../../store/list.js';
import {
  type Credential,
  createCredential,
  makeKeyPair,
  readCredentials,
  revokeCredential,
} from '../../store/operator/credential.js';
import { notFound } from '../problem.js';
import { CredentialAnswer, NewCredentialAnswer } from './answers.js';
import { checkBody } from './check-body.js';
import {
  defineList,
  defineOperation,
  type OperatorDeps,
  type OperatorRoute,
  readParam,
  requireCustomer,
  takeIn,
} from './operator-route.js';
import { CreateCredential } from './schemas.js';

const tag = 'Credentials';

export function makeCredentialRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    defineOperation({
      method: 'POST',
      path: '/customers/{customer_no}/credentials',
      name: 'createCredential',
      tag,
      summary: 'Create a credential',
      body: { schema: CreateCredential, example: { ip_allow: ['192.0.2.0/24'] }, optional: true },
      answer: {
        status: 201,
        schema: NewCredentialAnswer,
        description: 'The key and its secret. The secret is shown this once and never again.',
      },
      handle: async (call) => {
        const customer = await requireCustomer(deps, call);
        const { ip_allow } = checkBody(CreateCredential, call.body ?? {}, { defaults: true });
        const { api_key, api_secret } = makeKeyPair(deps.randomBytes);
        const credential = await createCredential(deps.sql, deps.sealer, customer, { api_key, api_secret, ip_allow });
        await takeIn(deps);
        return { ...renderCredential(credential), api_secret };
      },
    }),
    defineOperation({
      method: 'DELETE',
      path: '/customers/{customer_no}/credentials/{api_key}',
      name: 'revokeCredential',
      tag,
      summary: 'Revoke a credential',
      description: 'For good. It is refused on every node within two seconds. Harmless when repeated.',
      answer: { status: 200, schema: CredentialAnswer, description: 'The credential, revoked.' },
      handle: async (call) => {
        const customer = await requireCustomer(deps, call);
        const revoked = await revokeCredential(deps.sql, customer, readParam(call, 'api_key'));
        if (revoked === undefined) throw notFound();
        await takeIn(deps);
        return renderCredential(revoked);
      },
    }),
    defineOperation({
      method: 'GET',
      path: '/customers/{customer_no}/credentials/{api_key}',
      name: 'getCredential',
      tag,
      summary: 'Show a credential, without its secret',
      answer: { status: 200, schema: CredentialAnswer, description: 'The credential.' },
      handle: async (call) => {
        const { customerId } = await requireCustomer(deps, call);
        const apiKey = readParam(call, 'api_key');
        const found = (await readCredentials(deps.sql, customerId)).find(({ api_key }) => api_key === apiKey);
        if (found === undefined) throw notFound();
        return renderCredential(found);
      },
    }),
    defineList({
      path: '/customers/{customer_no}/credentials',
      name: 'listCredentials',
      item: CredentialAnswer,
      tag,
      summary: 'List the credentials of a customer, without their secrets',
      list: { name: 'credentials', timed: false, filters: {}, isKey: () => true },
      source: async (call) => {
        const { customerId } = await requireCustomer(deps, call);
        return listFromArray(await readCredentials(deps.sql, customerId), (credential) => credential.api_key);
      },
      render: renderCredential,
    }),
  ];
}

function renderCredential({ api_key, ip_allow, status, created_at, revoked_at }: Credential) {
  return {
    api_key,
    ip_allow,
    status,
    created_at: created_at.toISOString(),
    revoked_at: revoked_at?.toISOString() ?? null,
  };
}
