// Parses the values of settings. Undefined if the text is not allowed.

import { availableParallelism } from 'node:os';
import { parseDuration } from '../domain/duration.js';
import { isDatabaseUrl } from '../store/connection/database-url.js';

const MAX_PROCESSES = 64;
/** More would need more connections than most databases allow. */
const MAX_AUTO_PROCESSES = 16;

export function parsePort(text: string): number | undefined {
  const port = Number(matching(text, /^\d{1,5}$/));
  return port <= 65_535 ? port : undefined;
}

/** Pairs like `worker-1:5432=10.0.0.7:5432`. */
export function parseAddressMap(text: string): ReadonlyMap<string, string> | undefined {
  const pairs = text.split(',').map((pair) => /^\s*(\S+:\d{1,5})=(\S+:\d{1,5})\s*$/.exec(pair));
  if (pairs.includes(null)) return undefined;
  return new Map(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
}

export function parseProcesses(text: string): number | undefined {
  if (text === 'auto') return Math.min(MAX_AUTO_PROCESSES, availableParallelism());
  const processes = Number(matching(text, /^[1-9]\d?$/));
  return processes <= MAX_PROCESSES ? processes : undefined;
}

export function parseRetention(text: string): number | null | undefined {
  return text === 'forever' ? null : parseDuration(matching(text, /^\d{1,5}d$/) ?? '');
}

export function parseIssuer(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, search, hash } = new URL(text);
  const isHere = ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
  return search === '' && hash === '' && (protocol === 'https:' || (protocol === 'http:' && isHere)) ? text : undefined;
}

export function parseOrigin(text: string): string | undefined {
  const url = parseIssuer(text);
  if (url === undefined) return undefined;
  const { origin, pathname, username, password } = new URL(url);
  return pathname === '/' && username === '' && password === '' ? origin : undefined;
}

export function parseCollector(text: string): string | undefined {
  return /^https?:\/\/[^/]/.test(text) && URL.canParse(text) ? text : undefined;
}

export function parseRatio(text: string): number | undefined {
  const ratio = Number(matching(text, /^\d(\.\d+)?$/));
  return ratio <= 1 ? ratio : undefined;
}

export function parseSmtpUrl(text: string): string | undefined {
  return /^smtps?:\/\/[^/]/.test(text) && URL.canParse(text) ? text : undefined;
}

export function parseDatabaseUrl(text: string): string | undefined {
  return isDatabaseUrl(text) ? text : undefined;
}

export function matching(text: string, pattern: RegExp): string | undefined {
  return pattern.test(text) ? text : undefined;
}
