// Detects a gateway that accepts parts and falls silent: it cannot reach our listener. No protocol error shows that, so it is watched.

export interface ReportWatch {
  /** The gateway accepted a part. */
  accepted(): void;
  /** The gateway connected, or sent a message. */
  heard(): void;
  /** Undefined if the gateway connects as expected. */
  fault(): string | undefined;
}

export function createReportWatch(clock: () => number, limitMs: number, address: string): ReportWatch {
  let silentSince: number | undefined;
  return {
    accepted() {
      silentSince ??= clock();
    },
    heard() {
      silentSince = undefined;
    },
    fault() {
      if (silentSince === undefined || clock() - silentSince < limitMs) return undefined;
      const minutes = Math.floor((clock() - silentSince) / 60_000);
      return `the gateway accepts parts and has not connected to ${address} for ${minutes} minutes`;
    },
  };
}
