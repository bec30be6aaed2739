// How people can sign in here, for the page that asks them to.

import { Type } from '@sinclair/typebox';
import { answerOf } from '../entity-answers.js';
import { rejectParameters } from '../list-query.js';
import { type AuthDeps, type AuthRoute, TAG } from './auth-route.js';

const MethodsAnswer = answerOf('SignInMethods', {
  password: Type.Boolean(),
  oidc: Type.Boolean({ description: 'Whether an OpenID provider is set up. `GET /auth/oidc/start` leads to it.' }),
});

export function methodsRoute({ oidc }: AuthDeps): AuthRoute {
  return {
    method: 'GET',
    path: '/auth/methods',
    name: 'getSignInMethods',
    tag: TAG,
    isOpen: true,
    summary: 'Show how people can sign in',
    answer: { status: 200, schema: MethodsAnswer, description: 'What is set up.' },
    problems: [],
    handle: async ({ requestTarget }) => {
      rejectParameters(requestTarget);
      return { password: true, oidc: oidc !== undefined };
    },
  };
}
