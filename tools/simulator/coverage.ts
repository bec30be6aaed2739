// What the runs exercised: which kind of event met which state of its number, and how often each step was carried out.

import { kindOf, MET_STATES, type MetState, metStateOf, type Observe } from './world/observe.js';

const EVENT_KINDS = [
  'intended',
  'withdrawn',
  'accepted',
  'refused',
  'declined',
  'unknown',
  'not_accepted',
  'delivered',
  'undelivered',
  'expired',
  'rejected',
  'intermediate',
  'no_receipt',
  'ended',
  'stopped',
  'rerouted',
  'stranded',
] as const;

export interface Coverage {
  readonly observe: Observe;
  noteStep(name: string): void;
  /** The pairs that no run has tried. */
  untried(): string[];
  format(): string;
}

export function createCoverage(): Coverage {
  const pairs = new Map<string, number>();
  const steps = new Map<string, number>();
  const countOf = (kind: string, state: MetState) => pairs.get(`${kind} ${state}`) ?? 0;
  return {
    observe(settlement, event) {
      const key = `${kindOf(event)} ${metStateOf(settlement, event)}`;
      pairs.set(key, (pairs.get(key) ?? 0) + 1);
    },
    noteStep(name) {
      steps.set(name, (steps.get(name) ?? 0) + 1);
    },
    untried: () =>
      EVENT_KINDS.flatMap((kind) =>
        MET_STATES.filter((state) => countOf(kind, state) === 0).map((s) => `${kind} × ${s}`),
      ),
    format() {
      const width = Math.max(...MET_STATES.map(({ length }) => length), 9);
      const row = (name: string, cells: readonly string[]) =>
        [name.padEnd(13), ...cells.map((cell) => cell.padStart(width))].join(' ');
      const lines = EVENT_KINDS.map((kind) =>
        row(
          kind,
          MET_STATES.map((state) => (countOf(kind, state) === 0 ? '·' : String(countOf(kind, state)))),
        ),
      );
      const done = [...steps]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, count]) => `${name} ${count}`);
      return [row('event', MET_STATES), ...lines, '', `steps: ${done.join(', ')}`].join('\n');
    },
  };
}
