// The OpenID provider: found once by discovery, when the first person signs in with it. The library is loaded then, too.

import type { Configuration } from 'openid-client';

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Absent for a public client, which PKCE protects alone. */
  readonly clientSecret: string | undefined;
  /** The claim that says the role; absent: users are invited, and the provider only says who they are. */
  readonly roleClaim: string | undefined;
}

export interface OidcClient {
  readonly settings: OidcSettings;
  /** Where to send the browser, and what has to come back with it. */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly checks: OidcChecks }>;
  /** The claims of the ID token. Throws when anything does not match: state, issuer, nonce, code, signature, audience. */
  finish(callbackUrl: URL, checks: OidcChecks): Promise<Readonly<Record<string, unknown>>>;
}

export interface OidcChecks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

const TIMEOUT_SECONDS = 10;

export function createOidcClient(settings: OidcSettings): OidcClient {
  const library = () => import('openid-client');
  let found: Promise<Configuration> | undefined;
  const discover = async (): Promise<Configuration> => {
    const { discovery, allowInsecureRequests, enableNonRepudiationChecks } = await library();
    const issuer = new URL(settings.issuer);
    // Only an issuer on this machine may have no TLS; the configuration takes no other.
    const insecure = issuer.protocol === 'http:' ? [allowInsecureRequests] : [];
    // The library trusts TLS to the provider for the ID token, unless it is configured to check the signature.
    const execute = [enableNonRepudiationChecks, ...insecure];
    return discovery(issuer, settings.clientId, settings.clientSecret, undefined, {
      execute,
      timeout: TIMEOUT_SECONDS,
    });
  };
  const configuration = (): Promise<Configuration> => {
    found ??= discover().catch((error: unknown) => {
      // Tried again by the next person.
      found = undefined;
      throw error;
    });
    return found;
  };
  return {
    settings,
    async begin(redirectUri) {
      const config = await configuration();
      const { buildAuthorizationUrl, calculatePKCECodeChallenge, randomNonce, randomPKCECodeVerifier, randomState } =
        await library();
      const checks = { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() };
      const url = buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await calculatePKCECodeChallenge(checks.codeVerifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, checks };
    },
    async finish(callbackUrl, { state, nonce, codeVerifier }) {
      const config = await configuration();
      const { authorizationCodeGrant, fetchUserInfo } = await library();
      const tokens = await authorizationCodeGrant(config, callbackUrl, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new Error('the provider sent no ID token');
      // Providers put the email into the ID token or into the user info.
      if (claims.email !== undefined || config.serverMetadata().userinfo_endpoint === undefined) return claims;
      return { ...(await fetchUserInfo(config, tokens.access_token, claims.sub)), ...claims };
    },
  };
}
