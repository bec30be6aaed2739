import { CredentialFields } from '../../domain/entities/credential.js';
import { toPlain } from '../../domain/plain.js';
import { listFromArray } from '../../store/list.js';
import { createCredential, makeKeyPair, readCredentials, revokeCredential } from '../../store/operator/credential.js';
import { checkBody } from '../check-body.js';
import { notFound } from '../problem.js';
import { CredentialAnswer, NewCredentialAnswer } from './answers.js';
import {
  actingFor,
  defineList,
  defineOperation,
  type OperatorDeps,
  type OperatorRoute,
  readParam,
  requireCustomer,
  takeIn,
} from './operator-route.js';

const tag = 'Credentials';

export function makeCredentialRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    defineOperation({
      method: 'POST',
      path: '/customers/{customer_no}/credentials',
      name: 'createCredential',
      permission: 'configure',
      tag,
      summary: 'Create a credential',
      body: { schema: CredentialFields, example: { ip_allow: ['192.0.2.0/24'] }, optional: true },
      answer: {
        status: 201,
        schema: NewCredentialAnswer,
        description: 'The key and its secret. The secret is shown this once and never again.',
      },
      handle: async (call) => {
        const customer = await requireCustomer(deps, call);
        const terms = checkBody(CredentialFields, call.body ?? {}, { defaults: true });
        const keys = makeKeyPair(deps.randomBytes);
        const credential = await createCredential(actingFor(deps, call), deps.sealer, customer, keys, terms);
        await takeIn(deps);
        return { ...toPlain(credential), api_secret: keys.api_secret };
      },
    }),
    defineOperation({
      method: 'DELETE',
      path: '/customers/{customer_no}/credentials/{api_key}',
      name: 'revokeCredential',
      permission: 'configure',
      tag,
      summary: 'Revoke a credential',
      description: 'For good. It is refused on every node within two seconds. Harmless when repeated.',
      answer: { status: 200, schema: CredentialAnswer, description: 'The credential, revoked.' },
      handle: async (call) => {
        const customer = await requireCustomer(deps, call);
        const revoked = await revokeCredential(actingFor(deps, call), customer, readParam(call, 'api_key'));
        if (revoked === undefined) throw notFound();
        await takeIn(deps);
        return toPlain(revoked);
      },
    }),
    defineOperation({
      method: 'GET',
      path: '/customers/{customer_no}/credentials/{api_key}',
      name: 'getCredential',
      permission: 'read',
      tag,
      summary: 'Show a credential, without its secret',
      answer: { status: 200, schema: CredentialAnswer, description: 'The credential.' },
      handle: async (call) => {
        const { customerId } = await requireCustomer(deps, call);
        const apiKey = readParam(call, 'api_key');
        const found = (await readCredentials(deps.sql, customerId)).find(({ api_key }) => api_key === apiKey);
        if (found === undefined) throw notFound();
        return toPlain(found);
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
      render: toPlain,
    }),
  ];
}
