// The login hash of SMGP.
import { hashLogin } from '../china/login-hash.js';

const FILLER_OCTETS = 7;

/** The `AuthenticatorClient` of a Login. */
export function hashClient(account: string, secret: string, timestamp: number): string {
  return hashLogin(account, FILLER_OCTETS, secret, timestamp);
}
