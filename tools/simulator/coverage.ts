// What the runs exercised: which kind of event met which state of its number, and how often each step was carried out.

import {
  canMeet,
  EVENT_KINDS,
  kindOf,
  MET_STATES,
  type MetState,
  metStateOf,
  type Observe,
  PAIRS,
} from './world/observe.js';

export interface Coverage {
  readonly observe: Observe;
  noteStep(name: string): void;
  /** The pairs that may meet and that no run has tried. */
  untried(): string[];
  format(): string;
}

export function createCoverage(): Coverage {
  const pairs = new Map<string, number>();
  const steps = new Map<string, number>();
  const countOf = (kind: string, state: MetState) => pairs.get(`${kind} ${state}`) ?? 0;
  return {
    observe(settlement, event) {
      const state = metStateOf(settlement.chunks.get(event.chunk.key)?.state, event.index);
      const key = `${kindOf(event)} ${state}`;
      pairs.set(key, (pairs.get(key) ?? 0) + 1);
    },
    noteStep(name) {
      steps.set(name, (steps.get(name) ?? 0) + 1);
    },
    untried: () => PAIRS.flatMap(({ kind, state }) => (countOf(kind, state) === 0 ? [`${kind} × ${state}`] : [])),
    format() {
      const width = Math.max(...MET_STATES.map(({ length }) => length), 9);
      const row = (name: string, cells: readonly string[]) =>
        [name.padEnd(13), ...cells.map((cell) => cell.padStart(width))].join(' ');
      const lines = EVENT_KINDS.map((kind) =>
        row(
          kind,
          MET_STATES.map((state) => cellOf(countOf(kind, state), canMeet(kind, state))),
        ),
      );
      const done = [...steps]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, count]) => `${name} ${count}`);
      const left = this.untried();
      const untried = `${left.length} of ${PAIRS.length} pairs untried${left.length === 0 ? '' : `: ${left.join(', ')}`}`;
      return [row('event', MET_STATES), ...lines, '', untried, `steps: ${done.join(', ')}`].join('\n');
    },
  };
}

/** A dot is a pair that was never tried, a blank one that cannot meet. */
function cellOf(count: number, isPossible: boolean): string {
  if (count > 0) return String(count);
  return isPossible ? '·' : '';
}
