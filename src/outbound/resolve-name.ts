// Resolves a name over DNS sockets that belong to the query alone. `dns.lookup` would run in the thread pool, which has four
// threads for the whole process and cannot cancel: a few names that are never answered would stall everything else.

import { promises as dns, type LookupAddress, NODATA, NOTFOUND } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { NameLookupError, type ResolveName } from './name-lookup.js';

export interface DnsOptions {
  /** Those of the system when omitted. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
}

/** The first try of a query; the second one takes longer. */
const TRY_MS = 1500;
const TRIES = 2;
const HOSTS_FILE = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';

/** Names of the hosts file and `localhost` first, as the system does; then DNS, by the full name without search domains. */
export function resolveByDns({ servers, hostsFile = HOSTS_FILE }: DnsOptions = {}): ResolveName {
  return async (host, signal) => {
    const name = host.toLowerCase();
    const local = findInHosts(await readFile(hostsFile, 'utf8').catch(() => ''), name);
    if (local.length > 0) return local;
    if (name === 'localhost' || name.endsWith('.localhost')) return [toAddress('127.0.0.1'), toAddress('::1')];
    signal.throwIfAborted();
    const resolver = new dns.Resolver({ timeout: TRY_MS, tries: TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel);
    try {
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      if (found.length === 0) throw explainFailure(answers);
      return found.map(toAddress);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

function explainFailure(answers: readonly PromiseSettledResult<unknown>[]): Error {
  const codes = answers.map((answer) => (answer.status === 'rejected' ? answer.reason.code : undefined));
  const isUnknown = codes.every((code) => code === NOTFOUND || code === NODATA);
  if (isUnknown) return Object.assign(new Error('there is no such name'), { code: NOTFOUND });
  return new NameLookupError(`the name servers did not answer (${codes.join(', ')})`);
}

function findInHosts(text: string, name: string): LookupAddress[] {
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const isNamed = names.some((other) => other.toLowerCase() === name);
    return isNamed && isIP(address) !== 0 ? [toAddress(address)] : [];
  });
}

function toAddress(address: string): LookupAddress {
  return { address, family: isIP(address) };
}
