// The login hash of CMPP.
import { hashLogin } from '../china/login-hash.js';

const ACCOUNT_OCTETS = 6;
const FILLER_OCTETS = 9;

/** The `AuthenticatorSource` of a Connect. */
export function hashConnect(account: string, secret: string, timestamp: number): string {
  return hashLogin(account, FILLER_OCTETS, secret, timestamp);
}

/** The same as libraries make it that fill a short account with NUL before they hash it. */
export function hashPaddedConnect(account: string, secret: string, timestamp: number): string {
  return hashLogin(account.padEnd(ACCOUNT_OCTETS, '\0'), FILLER_OCTETS, secret, timestamp);
}
