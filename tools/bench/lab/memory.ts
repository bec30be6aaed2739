// The memory of the service as the system sees it, taken at intervals.

import { readFile } from 'node:fs/promises';
import type { Figures } from '../figures.js';

const BYTES_PER_MB = 1_000_000;
const BYTES_PER_KIB = 1024;

/** Resident memory; undefined where there is no /proc. */
async function readResidentMb(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
  return kib === undefined ? undefined : (Number(kib) * BYTES_PER_KIB) / BYTES_PER_MB;
}

export interface MemorySamples {
  take(): Promise<number | undefined>;
  /** The highest; and, to see whether it grows, the means of the second and of the last quarter. */
  figures(): Figures;
}

export function sampleMemory(pid: number): MemorySamples {
  const samples: number[] = [];
  return {
    async take() {
      const sample = await readResidentMb(pid);
      if (sample !== undefined) samples.push(sample);
      return sample;
    },
    figures() {
      if (samples.length === 0) return {};
      const quarter = Math.max(1, Math.floor(samples.length / 4));
      return {
        highest_mb: Math.max(...samples),
        settled_mb: meanOf(samples.slice(quarter, quarter * 2)) ?? meanOf(samples) ?? 0,
        end_mb: meanOf(samples.slice(-quarter)) ?? 0,
      };
    },
  };
}

function meanOf(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}
