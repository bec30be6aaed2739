/** The span of a rate: long enough to be steady, short enough to notice a change. */
const spanMs = 10_000;
/** Over less than this a rate means nothing. */
const leastMs = 1_000;

export interface Pace {
  /** How much is done by now. */
  note(done: number): void;
  /** Null while it is unknown. */
  readonly perSecond: number | null;
}

export function createPace(now: () => number): Pace {
  let samples: { readonly atMs: number; readonly done: number }[] = [];
  return {
    note(done) {
      const atMs = now();
      samples.push({ atMs, done });
      const firstWithin = samples.findIndex((sample) => atMs - sample.atMs <= spanMs);
      // One sample from before the span stays, so that a long pause between two looks does not lose the rate.
      samples = samples.slice(Math.max(0, firstWithin - 1));
    },
    get perSecond() {
      const [first] = samples;
      const last = samples.at(-1);
      if (first === undefined || last === undefined || last.atMs - first.atMs < leastMs) return null;
      const rate = ((last.done - first.done) * 1000) / (last.atMs - first.atMs);
      return rate > 0 ? rate : null;
    },
  };
}

/** `8s`, `3m 20s`, `2h 5m`, `3d 2h`: two units at most, as one says it. */
export function formatSpan(spanMs: number): string {
  const seconds = Math.max(1, Math.round(spanMs / 1000));
  const units = [
    [86_400, 'd'],
    [3_600, 'h'],
    [60, 'm'],
    [1, 's'],
  ] as const;
  const at = units.findIndex(([size]) => seconds >= size);
  const [[size, unit] = [1, 's'], next] = units.slice(at);
  const rest = next === undefined ? 0 : Math.floor((seconds % size) / next[0]);
  return `${Math.floor(seconds / size)}${unit}${rest === 0 ? '' : ` ${rest}${next?.[1]}`}`;
}
