// Each process says from time to time that it is there and how it is, so that an operator sees all of them from any of them.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { BooksProof, HeldBack, NodeFigures } from '../domain/platform.js';
import type { Sql } from '../store/connect.js';
import { forgetNodes, type NodeRow, removeNode, writeNode } from '../store/node.js';

export interface NodeBeatOptions extends Pick<NodeRow, 'node' | 'roles' | 'version'> {
  readonly sql: Sql;
  readonly registry: Registry;
  readonly now: () => number;
  /** The last proof that this process made; undefined before the first. */
  readonly books: () => BooksProof | undefined;
  /** What this process could not write and tries again. */
  readonly setAside: () => readonly HeldBack[];
}

/** Three of them missed, and a process counts as gone. */
const BEAT_MS = 5_000;
const GOODBYE_MS = 1_000;

export function startNodeBeat(options: NodeBeatOptions): { stop(): Promise<void> } {
  const { sql, registry, now, books, setAside, ...identity } = options;
  const stopping = new AbortController();
  const started_at = new Date(now());

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      // While the database is away nobody can read it either.
      await beat().catch(() => undefined);
      await sleep(BEAT_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const beat = async (): Promise<void> => {
    const figures = { ...(await readFigures(registry)), books: books() ?? null, set_aside: setAside() };
    await writeNode(sql, { ...identity, started_at, figures });
    await forgetNodes(sql);
  };
  const running = run();

  return {
    async stop() {
      stopping.abort();
      const goodbye = running.then(() => removeNode(sql, identity.node)).catch(() => undefined);
      // A database that does not answer must not keep the process from stopping; the row is forgotten in time.
      await Promise.race([goodbye, sleep(GOODBYE_MS, undefined, { ref: false })]);
    },
  };
}

async function readFigures(registry: Registry): Promise<Omit<NodeFigures, 'books' | 'set_aside'>> {
  const [requests, inFlight, waiting, lag] = await Promise.all([
    sumOf(registry, 'postrider_http_request_duration_seconds', 'postrider_http_request_duration_seconds_count'),
    sumOf(registry, 'postrider_http_requests_in_flight'),
    sumOf(registry, 'postrider_accept_waiting'),
    sumOf(registry, 'nodejs_eventloop_lag_p99_seconds'),
  ]);
  return {
    requests,
    requests_in_flight: inFlight,
    sends_waiting: waiting,
    memory_bytes: process.memoryUsage.rss(),
    lag_ms: Math.round((Number.isFinite(lag) ? lag : 0) * 10_000) / 10,
  };
}

/** The sum over all labels; of a histogram only what is named so. */
async function sumOf(registry: Registry, name: string, part: string = name): Promise<number> {
  const metric = await registry.getSingleMetric(name)?.get();
  const values = (metric?.values ?? []) as readonly { readonly value: number; readonly metricName?: string }[];
  return values
    .filter(({ metricName }) => metricName === undefined || metricName === part)
    .reduce((sum, { value }) => sum + value, 0);
}
