// Processor time of a process, and of database servers with everything they started, from /proc. It is steadier than the
// clock on a machine that others use too. Undefined where there is no /proc.

import { readdir, readFile } from 'node:fs/promises';
import { hasCitus } from '#src/store/cluster/distribution.js';
import type { Sql } from '#src/store/sql.js';

const TICKS_PER_SECOND = 100;

export interface ProcessorTime {
  readonly service_us: number;
  readonly database_us: number;
  /** On a cluster: of each machine, the coordinator first. */
  readonly machines_us: readonly number[] | undefined;
}

/** The first processes of the servers, all on this machine: the one that is spoken to, and those behind it. */
export interface DatabaseServers {
  readonly first: number;
  readonly workers: readonly number[];
  /** The session of the measurement, which asks many times whether all is done: not counted. */
  readonly own: number;
}

/** The session of the question itself may have ended before /proc is read. */
const CHECKPOINTER = "select pid from pg_stat_activity where backend_type = 'checkpointer'";

export async function findServers(sql: Sql): Promise<DatabaseServers> {
  const [own] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const others = (await hasCitus(sql))
    ? await sql<{ pid: string }[]>`select result as pid from run_command_on_workers(${CHECKPOINTER})`
    : [];
  const processes = await readProcesses().catch(() => new Map<number, ProcessEntry>());
  const parentOf = (pid: number): number => processes.get(pid)?.parent ?? 0;
  const session = own?.pid ?? 0;
  return { first: parentOf(session), own: session, workers: others.map(({ pid }) => parentOf(Number(pid))) };
}

export async function readProcessorTime(pid: number, servers: DatabaseServers): Promise<ProcessorTime | undefined> {
  const processes = await readProcesses().catch(() => undefined);
  const service = processes?.get(pid);
  if (processes === undefined || service === undefined) return undefined;
  // What has ended is counted by the server that has waited for it.
  const timeOf = (server: number): number =>
    [...processes.values()]
      .filter(({ parent, pid: session }) => parent === server && session !== servers.own)
      .reduce((sum, entry) => sum + entry.us, (processes.get(server)?.us ?? 0) + (processes.get(server)?.endedUs ?? 0));
  const machines = [servers.first, ...servers.workers].map(timeOf);
  return {
    service_us: service.us,
    database_us: machines.reduce((sum, us) => sum + us, 0),
    machines_us: machines.length === 1 ? undefined : machines,
  };
}

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly us: number;
  /** Of those that it started and that have ended. */
  readonly endedUs: number;
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
      const inUs = (at: number) => (((fields[at] ?? 0) + (fields[at + 1] ?? 0)) * 1_000_000) / TICKS_PER_SECOND;
      return stat === '' ? [] : [{ pid: Number(name), parent, us: inUs(11), endedUs: inUs(13) }];
    }),
  );
  return new Map(entries.flat().map((entry) => [entry.pid, entry]));
}
