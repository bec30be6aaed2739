import { type Credential, CredentialFields } from '../../../domain/entities/credential.js';
import { listFromArray } from '../../../store/list.js';
import {
  createCredential,
  createKeyPair,
  readCredentials,
  revokeCredential,
} from '../../../store/operator/credential.js';
import { checkBody } from '../../body/check-body.js';
import {
  CredentialAnswer,
  findExpiryFaults,
  NewCredentialAnswer,
  showCredential,
  tooManyKeys,
} from '../../resources/credential-answers.js';
import type { Call } from '../../route.js';
import {
  defineChange,
  defineShowAndList,
  type OperatorDeps,
  type OperatorRoute,
  readParam,
  requireCustomer,
} from '../operator-route.js';

const tag = 'Credentials';

export function createCredentialRoutes(deps: OperatorDeps): OperatorRoute[] {
  const readOwn = async (call: Call) => readCredentials(deps.sql, (await requireCustomer(deps, call)).customerId);
  return [
    defineChange(deps, {
      method: 'POST',
      path: '/customers/{customer_no}/credentials',
      name: 'createCredential',
      tag,
      summary: 'Create a credential',
      body: { schema: CredentialFields, example: { ip_allow: ['192.0.2.0/24'] }, optional: true },
      answer: {
        status: 201,
        schema: NewCredentialAnswer,
        description: 'The key and its secret. The secret is shown this once and never again.',
      },
      change: async (call, context) => {
        const customer = await requireCustomer(deps, call);
        const terms = checkBody(CredentialFields, call.body ?? {}, {
          defaults: true,
          refine: (body) => findExpiryFaults(body, deps.now()),
        });
        const keys = createKeyPair(deps.randomBytes);
        const credential = await createCredential(context, deps.sealer, customer, keys, terms);
        if (credential === undefined) throw tooManyKeys();
        return { ...showCredential(credential, deps.now()), api_secret: keys.api_secret };
      },
    }),
    defineChange(deps, {
      method: 'DELETE',
      path: '/customers/{customer_no}/credentials/{api_key}',
      name: 'revokeCredential',
      tag,
      summary: 'Revoke a credential',
      description: 'For good. It is refused on every node within two seconds. Harmless when repeated.',
      answer: { status: 200, schema: CredentialAnswer, description: 'The credential, revoked.' },
      change: async (call, context) => {
        const customer = await requireCustomer(deps, call);
        return revokeCredential(context, customer, readParam(call, 'api_key'));
      },
      render: (revoked) => showCredential(revoked, deps.now()),
    }),
    ...defineShowAndList({
      tag,
      path: '/customers/{customer_no}/credentials',
      key: 'api_key',
      item: CredentialAnswer,
      render: (credential: Credential) => showCredential(credential, deps.now()),
      show: {
        name: 'getCredential',
        summary: 'Show a credential, without its secret',
        answer: 'The credential.',
        find: async (call, apiKey) => (await readOwn(call)).find(({ api_key }) => api_key === apiKey),
      },
      list: {
        name: 'listCredentials',
        summary: 'List the credentials of a customer, without their secrets',
        definition: { name: 'credentials', timed: false, filters: {}, isKey: () => true },
        source: async (call) => listFromArray(await readOwn(call), (credential) => credential.api_key),
      },
    }),
  ];
}
