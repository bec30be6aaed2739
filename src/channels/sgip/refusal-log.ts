// A flood of connections must not become a flood of log lines: each reason is logged at most once a minute, with how many
// connections it stands for.

const QUIET_MS = 60_000;

export interface RefusalLog {
  note(reason: string, write: (count: number) => void): void;
}

export function createRefusalLog(clock: () => number): RefusalLog {
  const reasons = new Map<string, { writtenAt: number; count: number }>();
  return {
    note(reason, write) {
      const known = reasons.get(reason) ?? { writtenAt: -Infinity, count: 0 };
      reasons.set(reason, known);
      known.count += 1;
      if (clock() - known.writtenAt < QUIET_MS) return;
      write(known.count);
      known.writtenAt = clock();
      known.count = 0;
    },
  };
}
