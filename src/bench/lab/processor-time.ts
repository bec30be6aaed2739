// Processor time of a process and everything it started, from /proc. It is steadier than the clock on a machine that others
// use too. Undefined where there is no /proc.

import { readdir, readFile } from 'node:fs/promises';

const TICKS_PER_SECOND = 100;

export interface ProcessorTime {
  readonly service_us: number;
  readonly database_us: number;
}

export async function readProcessorTime(pid: number): Promise<ProcessorTime | undefined> {
  const processes = await readProcesses().catch(() => undefined);
  const service = processes?.get(pid);
  if (processes === undefined || service === undefined) return undefined;
  const below = [...processes.values()].filter((entry) => isBelow(processes, entry.pid, pid));
  return { service_us: service.us, database_us: below.reduce((sum, entry) => sum + entry.us, 0) };
}

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly us: number;
}

async function readProcesses(): Promise<Map<number, ProcessEntry>> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const entries = await Promise.all(
    names.map(async (name): Promise<ProcessEntry[]> => {
      const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
      // The command, in brackets, may hold anything; the fields behind it are numbers.
      const fields = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      const [, parent = 0] = fields;
      const ticks = (fields[11] ?? 0) + (fields[12] ?? 0);
      return stat === '' ? [] : [{ pid: Number(name), parent, us: (ticks * 1_000_000) / TICKS_PER_SECOND }];
    }),
  );
  return new Map(entries.flat().map((entry) => [entry.pid, entry]));
}

function isBelow(processes: ReadonlyMap<number, ProcessEntry>, pid: number, ancestor: number): boolean {
  for (let at = processes.get(pid)?.parent ?? 0; at > 1; at = processes.get(at)?.parent ?? 0) {
    if (at === ancestor) return true;
  }
  return false;
}
