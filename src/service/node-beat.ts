// The heartbeat of each process, with its figures, so that operators see all processes from any of them.

import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { BooksProof, NodeFigures, QuarantinedItem } from '../domain/platform.js';
import { recordMinute } from '../store/channel/channel-minute.js';
import { forgetNodes, type NodeRow, removeNode, writeNode } from '../store/node.js';
import type { Sql } from '../store/sql.js';

export interface NodeBeatOptions extends Pick<NodeRow, 'node' | 'roles' | 'version'> {
  readonly sql: Sql;
  readonly registry: Registry;
  readonly now: () => number;
  /** The last proof that this process made; undefined before the first. */
  readonly books: () => BooksProof | undefined;
  /** The quarantine of this process. */
  readonly quarantined: () => readonly QuarantinedItem[];
  /** Names the secret key that this process seals with. */
  readonly sealingKey: string;
}

/** After three missed heartbeats a process counts as gone. */
const BEAT_MS = 5_000;
const GOODBYE_MS = 1_000;
const MINUTE_MS = 60_000;
const LAG_RESOLUTION_MS = 20;

export function startNodeBeat(options: NodeBeatOptions): { stop(): Promise<void> } {
  const { sql, registry, now, books, quarantined, sealingKey, ...identity } = options;
  const stopping = new AbortController();
  const started_at = new Date(now());
  const lag = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  lag.enable();

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      // Without the database the row cannot be read either.
      await beat().catch(() => undefined);
      await sleep(BEAT_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const beat = async (): Promise<void> => {
    const lag_ms = takeLag(lag);
    const figures = {
      ...(await readFigures(registry)),
      lag_ms,
      books: books() ?? null,
      sealing_key: sealingKey,
      set_aside: quarantined(),
    };
    await writeNode(sql, { ...identity, started_at, figures });
    await forgetNodes(sql);
    await recordNewMinute();
  };
  // Twelve beats fall into a minute; one of them is enough.
  let recorded = 0;
  const recordNewMinute = async (): Promise<void> => {
    const minute = Math.floor(now() / MINUTE_MS);
    if (minute === recorded) return;
    await recordMinute(sql);
    recorded = minute;
  };
  const running = run();

  return {
    async stop() {
      stopping.abort();
      lag.disable();
      const goodbye = running.then(() => removeNode(sql, identity.node)).catch(() => undefined);
      // A database that does not answer must not keep the process from stopping; the row expires.
      await Promise.race([goodbye, sleep(GOODBYE_MS, undefined, { ref: false })]);
    },
  };
}

async function readFigures(
  registry: Registry,
): Promise<Omit<NodeFigures, 'books' | 'set_aside' | 'lag_ms' | 'sealing_key'>> {
  const [requests, inFlight, waiting, lostCommits] = await Promise.all([
    sumOf(registry, 'postrider_http_request_duration_seconds', 'postrider_http_request_duration_seconds_count'),
    sumOf(registry, 'postrider_http_requests_in_flight'),
    sumOf(registry, 'postrider_accept_waiting'),
    sumOf(registry, 'postrider_lost_commits_total'),
  ]);
  return {
    requests,
    requests_in_flight: inFlight,
    sends_waiting: waiting,
    lost_commits: lostCommits,
    memory_bytes: process.memoryUsage.rss(),
  };
}

/** Since the last reading, without the delay of the measuring timer. */
function takeLag(lag: IntervalHistogram): number {
  const measuredMs = lag.count === 0 ? 0 : lag.percentile(99) / 1e6;
  lag.reset();
  return Math.round(Math.max(0, measuredMs - LAG_RESOLUTION_MS) * 10) / 10;
}

/** The sum over all labels; of a histogram only what is named so. */
async function sumOf(registry: Registry, name: string, part: string = name): Promise<number> {
  const metric = await registry.getSingleMetric(name)?.get();
  const values = (metric?.values ?? []) as readonly { readonly value: number; readonly metricName?: string }[];
  return values
    .filter(({ metricName }) => metricName === undefined || metricName === part)
    .reduce((sum, { value }) => sum + value, 0);
}
