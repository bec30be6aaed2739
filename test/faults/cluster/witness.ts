// What the message centre wrote down, part by part, before it answered: whether something came twice, and when nothing came.

import { readFileSync } from 'node:fs';
import type { ClusterCustomer } from './load.js';

export interface Witness {
  /** How often each number was accepted. */
  readonly accepted: Readonly<Record<string, number>>;
  /** Milliseconds from that moment until each of them with something left had a number accepted again: the longest. */
  longestUntilNext(customers: readonly ClusterCustomer[], sinceMs: number): number;
  /** The longest time between two accepted numbers of all of them together. */
  longestPause(customers: readonly ClusterCustomer[], fromMs: number, toMs: number): number;
}

export function readWitness(journal: string): Witness {
  const accepted: Record<string, number> = {};
  const timesByNumber = new Map<number, number>();
  for (const line of readFileSync(journal, 'utf8').split('\n')) {
    if (line === '') continue;
    const { to, at } = JSON.parse(line) as { to?: string; at: string };
    if (to === undefined) continue;
    accepted[to] = (accepted[to] ?? 0) + 1;
    timesByNumber.set(Number(to.slice(-8)), Date.parse(at));
  }
  const timesOf = ({ first, count }: ClusterCustomer): number[] =>
    Array.from({ length: count }, (_, at) => timesByNumber.get(first + at)).filter((time) => time !== undefined);
  return {
    accepted,
    longestUntilNext(customers, sinceMs) {
      const waits = customers.flatMap((customer) => {
        const later = timesOf(customer).filter((time) => time >= sinceMs);
        return later.length === 0 ? [] : [Math.min(...later) - sinceMs];
      });
      if (waits.length === 0) throw new Error('No customer had anything left to send: this takes a longer load.');
      return Math.max(...waits);
    },
    longestPause(customers, fromMs, toMs) {
      const times = customers.flatMap(timesOf).filter((time) => time > fromMs && time < toMs);
      const marks = [fromMs, ...times.toSorted((a, b) => a - b), toMs];
      return Math.max(0, ...marks.slice(1).map((time, at) => time - (marks[at] ?? time)));
    },
  };
}
