// How both sides of a CMPP or SMGP connection prove that they know the secret: MD5 over it and the time of the login.
import { createHash } from 'node:crypto';
import { spellLoginTime } from './beijing-time.js';

/** What the client sends. The protocols differ in how many NULs stand between account and secret. */
export function hashLogin(account: string, fillerOctets: number, secret: string, timestamp: number): string {
  return hash(Buffer.from(`${account}${'\0'.repeat(fillerOctets)}${secret}${spellLoginTime(timestamp)}`, 'latin1'));
}

/** What the server answers, made from the status and what the client sent. */
export function hashLoginAnswer(status: number, statusOctets: 1 | 4, clientHash: string, secret: string): string {
  const statusField = Buffer.alloc(statusOctets);
  statusField[statusOctets - 1] = status;
  return hash(Buffer.concat([statusField, Buffer.from(clientHash, 'hex'), Buffer.from(secret, 'latin1')]));
}

/** Servers hash the status as one octet or as four, whatever the version. */
export function isLoginAnswerGenuine(status: number, serverHash: string, clientHash: string, secret: string): boolean {
  return ([1, 4] as const).some((octets) => hashLoginAnswer(status, octets, clientHash, secret) === serverHash);
}

function hash(octets: Buffer): string {
  return createHash('md5').update(octets).digest('hex');
}
