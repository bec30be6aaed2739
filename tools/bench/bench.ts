// What a scenario is given and what it leaves: rows of figures, printed as they come and kept for the comparison.

import type { Figures } from './figures.js';
import type { Lab } from './lab/lab.js';

export interface Row {
  /** Unique in a run, and the same in the next one. */
  readonly key: string;
  readonly label: string;
  /** The first of them is the one that is compared with the last run. */
  readonly figures: Figures;
}

export interface Bench {
  /** 1 for the sizes that the documentation names. */
  readonly scale: number;
  readonly signal: AbortSignal;
  /** Databases that are to be compared; the others are made and removed again. */
  readonly databases: readonly string[];
  /** Where a history that takes long to make is kept for the next run; undefined where it is not. */
  readonly keptFolder: string | undefined;
  /** A service that several scenarios share: bulk and single numbers, accepting. */
  lab(): Promise<Lab>;
  title(text: string): void;
  record(row: Row): void;
  /** Something that a reader of the figures must know. */
  remark(text: string): void;
  /** Shows progress; not recorded. */
  progress(text: string): void;
}

export interface Scenario {
  readonly name: string;
  readonly summary: string;
  /** Its duration at scale 1 on two processors, in seconds: the estimate for a first run. */
  readonly usualS: number;
  run(bench: Bench): Promise<void>;
}

/** A size at the scale of the run, never less than `least`. */
export function scaleSize(bench: Pick<Bench, 'scale'>, size: number, least = 1): number {
  return Math.max(least, Math.round(size * bench.scale));
}
