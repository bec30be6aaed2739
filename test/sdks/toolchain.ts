// Which programs of a language are on this machine. Tests of an SDK whose toolchain is missing are skipped, and their names
// say what they need.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../support/service-process.js';

/** Of the service and of all SDKs, which the release script raises together. */
export const version: string = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')).version;

/** A program with arguments that succeed only where it can be used: `['python3', '-c', 'import httpx']`. */
export type Probe = readonly [program: string, ...words: string[]];

export function isUsable([program, ...words]: Probe): boolean {
  return spawnSync(program, words, { stdio: 'ignore', timeout: 60_000 }).status === 0;
}

/** What is missing, in words for the name of a test: the key of the first probe that fails. */
export function findMissing(probes: Readonly<Record<string, Probe>>): string | undefined {
  return Object.entries(probes).find(([, probe]) => !isUsable(probe))?.[0];
}
