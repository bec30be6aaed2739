// Warning and alert thresholds of the platform's figures. In one place, so that a tile, a
// table and a chart cannot judge the same figure differently.

export interface Limits {
  readonly watch: number;
  readonly bad: number;
}

/** How long the oldest part or task has waited. */
export const WAIT_MS: Limits = { watch: 60_000, bad: 600_000 };
/** Of the parts that were answered: those refused, and those whose answer was lost. */
export const FAILED_SHARE: Limits = { watch: 0.02, bad: 0.1 };
/** Of a process: by how much its turns come late. */
export const LAG_MS: Limits = { watch: 100, bad: 500 };
/** Of a window: a full one waits for the upstream. */
export const WINDOW_SHARE: Limits = { watch: 0.9, bad: 1 };

export type Level = 'good' | 'watch' | 'bad';

export function judge(value: number, { watch, bad }: Limits): Level {
  return value >= bad ? 'bad' : value >= watch ? 'watch' : 'good';
}

interface Answered {
  readonly accepted: number;
  readonly refused: number;
  readonly unknown: number;
}

/** Undefined where nothing was answered. */
export function failedShare({ accepted, refused, unknown }: Answered): number | undefined {
  const answered = accepted + refused + unknown;
  return answered <= 0 ? undefined : (refused + unknown) / answered;
}
