// The number of processes, and how often one was replaced.

import { Counter, Gauge, type Registry } from 'prom-client';

/** Each process counts itself: the sum over a machine is the number of its processes. */
export function countProcess(registry: Registry): void {
  new Gauge({
    name: 'postrider_processes',
    help: 'Processes of this machine that are up.',
    registers: [registry],
  }).set(1);
}

/** Returns a function that counts one more. */
export function createReplacementCounter(registry: Registry): () => void {
  const replacements = new Counter({
    name: 'postrider_process_replacements_total',
    help: 'Processes of this machine that ended and were replaced.',
    registers: [registry],
  });
  return () => replacements.inc();
}
