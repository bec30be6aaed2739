// Sign-in and sessions, as the server takes them in. For the console: programs use keys and tokens.

import type { Api } from '../api.js';
import { registerSignIn } from '../console/sign-in-route.js';
import { createGuessGuard } from '../limits/guess-guard.js';
import { registerRoutes } from '../route.js';
import { createAttemptGuard } from './attempt-guard.js';
import { type AuthDeps, type AuthParts, createAuthAdmission, TAG } from './auth-route.js';
import { invitationRoutes } from './invitations.js';
import { signInByLink } from './link-sign-in.js';
import { methodsRoute } from './methods.js';
import { noticeRoutes } from './notice-routes.js';
import { registerOidc } from './oidc-routes.js';
import { passkeyRoutes } from './passkey/passkey-routes.js';
import { passkeySignInRoutes } from './passkey/passkey-sign-in.js';
import { passwordResetRoutes } from './password-reset.js';
import { secondStepRoute } from './second-factor/second-step.js';
import { totpRoutes } from './second-factor/totp-routes.js';
import { sessionRoutes } from './sessions.js';
import { signInRoute } from './sign-in.js';

export function createAuthApi(deps: AuthDeps): Api {
  const parts: AuthParts = {
    ...deps,
    guard: createAttemptGuard(deps.monotonicNow),
    passkeyGuard: createGuessGuard(deps.monotonicNow),
    resetGuard: createGuessGuard(deps.monotonicNow),
  };
  const routes = [
    methodsRoute(parts),
    signInRoute(parts),
    secondStepRoute(parts),
    ...passkeySignInRoutes(parts),
    ...invitationRoutes(parts),
    ...passwordResetRoutes(parts),
    ...sessionRoutes(parts),
    ...totpRoutes(parts),
    ...passkeyRoutes(parts),
    ...noticeRoutes(parts),
  ];
  return {
    operations: routes,
    security: 'session',
    tags: [{ name: TAG, description: 'How people sign in to the console. Programs use keys and tokens.' }],
    problems: ['invalid_credentials', 'not_permitted', 'not_acceptable', 'unavailable'],
    register(app, { bodies }) {
      if (deps.oidc !== undefined) registerOidc(app, parts, deps.oidc);
      if (deps.signInCodes !== undefined) {
        registerSignIn(app, deps.signInCodes, bodies, (call, grant) => signInByLink(parts, call, grant));
      }
      registerRoutes(app, routes, {
        admit: createAuthAdmission(deps, bodies),
        contextOf: (call, { session }) => Object.assign(call, { session }),
        ownerOf: ({ session }) => `user ${session?.user.user_no ?? ''}`,
        sealer: deps.sealer,
      });
    },
  };
}
