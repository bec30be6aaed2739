// The configuration of the simulator (contract section 9): what an operator may write, and what it becomes.

import type { Fault } from '../../domain/fault.js';
import type { SimulatorConfig } from './simulator.js';

const DEFAULTS: SimulatorConfig = {
  answer_ms: 0,
  receipt_ms: 0,
  deliver_rate: 1,
  reject_rate: 0,
  unknown_rate: 0,
  test_numbers: true,
};

/** Longer delays would outlive every timeout of the service. */
const MAX_DELAY_MS = 7 * 24 * 3600 * 1000;

type Judge = (value: unknown) => Pick<Fault, 'code' | 'message'> | undefined;

const fields: { readonly [name in keyof SimulatorConfig]: Judge } = {
  answer_ms: judgeDelay,
  receipt_ms: judgeDelay,
  deliver_rate: judgeRate,
  reject_rate: judgeRate,
  unknown_rate: judgeRate,
  test_numbers: (value) =>
    typeof value === 'boolean' || value === 'listed'
      ? undefined
      : { code: 'type', message: 'must be true, false or "listed"' },
};

/** Fills in the defaults and names every fault, with pointers into the configuration. */
export function checkSimulatorConfig(
  input: Readonly<Record<string, unknown>>,
): { readonly config: SimulatorConfig } | { readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  for (const [name, value] of Object.entries(input)) {
    const judge = Object.hasOwn(fields, name) ? fields[name as keyof SimulatorConfig] : judgeUnknown;
    const wrong = judge(value);
    if (wrong !== undefined) faults.push({ pointer: `/${name.slice(0, 64)}`, ...wrong });
  }
  return faults.length > 0 ? { faults } : { config: { ...DEFAULTS, ...input } };
}

function judgeDelay(value: unknown): ReturnType<Judge> {
  if (typeof value !== 'number' || !Number.isInteger(value)) return { code: 'type', message: 'must be a whole number' };
  if (value >= 0 && value <= MAX_DELAY_MS) return undefined;
  return { code: 'out_of_range', message: `must be from 0 to ${MAX_DELAY_MS} milliseconds` };
}

function judgeRate(value: unknown): ReturnType<Judge> {
  if (typeof value !== 'number') return { code: 'type', message: 'must be a number' };
  return value >= 0 && value <= 1 ? undefined : { code: 'out_of_range', message: 'must be from 0 to 1' };
}

function judgeUnknown(): ReturnType<Judge> {
  return { code: 'unknown_field', message: `is not known here; known are: ${Object.keys(fields).join(', ')}` };
}
