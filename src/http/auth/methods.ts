// The available ways to sign in, for the sign-in page.

import { Type } from '@sinclair/typebox';
import { rejectParameters } from '../query/list-query.js';
import { originOf } from '../request-origin.js';
import { answerOf } from '../resources/entity-answers.js';
import { type AuthDeps, type AuthRoute, TAG } from './auth-route.js';
import { findRelyingParty } from './passkey/relying-party.js';

const MethodsAnswer = answerOf('SignInMethods', {
  password: Type.Boolean(),
  oidc: Type.Boolean({ description: 'Whether an OpenID provider is set up. `GET /auth/oidc/start` leads to it.' }),
  passkey: Type.Boolean({ description: 'Whether passkeys work at the address that this call was made to.' }),
});

export function methodsRoute({ oidc, publicOrigin }: AuthDeps): AuthRoute {
  return {
    method: 'GET',
    path: '/auth/methods',
    name: 'getSignInMethods',
    tag: TAG,
    isOpen: true,
    summary: 'Show how people can sign in',
    answer: { status: 200, schema: MethodsAnswer, description: 'What is set up.' },
    problems: [],
    handle: async ({ requestTarget, request }) => {
      rejectParameters(requestTarget);
      const passkey = findRelyingParty(publicOrigin, request)?.origin === originOf(request);
      return { password: true, oidc: oidc !== undefined, passkey };
    },
  };
}
