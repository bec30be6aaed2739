// Checks every second whether the database is still the one that this process has written to. After a failover nothing is sent before every
// process has found its commits on the new primary; if a process has not, channels are held until an operator releases them.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../domain/log.js';
import { isDistributed } from '../store/cluster/distribution.js';
import { forgetCommits, lastCommit } from '../store/connection/commit-position.js';
import {
  adoptHistory,
  type ChannelGate,
  confirmTimeline,
  followPromotion,
  type HoldReason,
  holdChannels,
  type RecoveryState,
  readRecovery,
  readServer,
  type ServerState,
} from '../store/recovery/timeline.js';
import { isDatabaseAway } from '../store/retry.js';
import type { Sql } from '../store/sql.js';

export interface DatabaseWatch {
  gate(): ChannelGate;
  stop(): Promise<void>;
}

export interface DatabaseWatchOptions {
  readonly sql: Sql;
  /** Names this process among others. */
  readonly node: string;
  readonly log: Log;
  readonly onGateChange: () => void;
}

interface Hold {
  readonly reason: HoldReason;
  readonly detail: string;
}

const LOOK_MS = 1000;

/** Resolves after the first check. */
export async function startDatabaseWatch(options: DatabaseWatchOptions): Promise<DatabaseWatch> {
  const { sql, node, log } = options;
  const stopping = new AbortController();
  let gate: ChannelGate = 'open';
  /** The server when this process last saw it on the timeline that the service knows. */
  let seen: ServerState | undefined;
  let isFailing = false;

  const setGate = (next: ChannelGate): void => {
    if (next === gate) return;
    gate = next;
    options.onGateChange();
  };

  const hold = async ({ reason, detail }: Hold): Promise<void> => {
    await holdChannels(sql, node, { reason, detail });
    log.error({ reason, detail }, 'channels are held until an operator releases them: postrider recovery');
    setGate('held');
  };

  const look = async (): Promise<void> => {
    const known = await readRecovery(sql);
    // Read before the server: a commit in between would seem to be ahead of it.
    const last = known.timeline === null ? undefined : lastCommit(sql, known.timeline);
    const server = await readServer(sql);
    if (known.systemIdentifier === null) {
      await adoptHistory(sql, server);
      return;
    }
    if (known.state === 'held') return setGate('held');
    if (known.systemIdentifier !== server.systemIdentifier) return await hold(otherSystem(known, server));
    if (seen !== undefined && server.timeline < seen.timeline) return await hold(olderHistory(seen, server));
    if (known.timeline !== server.timeline) return await follow(known, server, last);
    if (gate === 'held') forgetCommits(sql);
    else if (last !== undefined && server.position <= last) return await hold(behind(last, server.position));
    seen = server;
    setGate('open');
  };

  const follow = async (known: RecoveryState, server: ServerState, last: bigint | undefined): Promise<void> => {
    setGate('waiting');
    if (isDistributed(sql))
      return await hold({ reason: 'unproven', detail: `timeline ${server.timeline} of a cluster` });
    if (seen?.timeline === known.timeline && isStandbyOf(seen, server)) {
      if (last !== undefined && last >= server.replayedTo) return await hold(behind(last, server.replayedTo));
      await confirmTimeline(sql, node, server.timeline);
    }
    const promotion = await followPromotion(sql, server.timeline);
    if (promotion === 'unconfirmed') await hold(unproven(known, server));
    if (promotion !== 'confirmed') return;
    log.warn({ timeline: server.timeline }, 'the database has failed over and no commit is lost');
    seen = server;
    setGate('open');
  };

  const lookAndReport = async (): Promise<void> => {
    try {
      await look();
      isFailing = false;
    } catch (err) {
      // Without the database nothing is sent; other parts of the process report it.
      if (!isFailing && !isDatabaseAway(err)) log.warn({ err }, 'a failover that loses commits cannot be detected');
      isFailing = true;
    }
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await sleep(LOOK_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (!stopping.signal.aborted) await lookAndReport();
    }
  };
  await lookAndReport();
  const running = run();

  return {
    gate: () => gate,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** This standby ran while the previous primary still answered, so the place where it stopped to replay is where the timelines part. */
function isStandbyOf(seen: ServerState, server: ServerState): server is ServerState & { readonly replayedTo: bigint } {
  return server.replayedTo !== null && server.startedAt < seen.now;
}

function behind(last: bigint, end: bigint): Hold {
  const detail = `a commit at ${formatLsn(last)} was acknowledged, the database goes to ${formatLsn(end)}`;
  return { reason: 'lost_commits', detail };
}

/** A primary that was replaced is back, or the database was restored. */
function olderHistory(seen: ServerState, server: ServerState): Hold {
  return {
    reason: 'lost_commits',
    detail: `timeline ${seen.timeline} was seen, the database is on ${server.timeline}`,
  };
}

function otherSystem(known: RecoveryState, server: ServerState): Hold {
  const detail = `system ${known.systemIdentifier} is known, the database is ${server.systemIdentifier}`;
  return { reason: 'other_system', detail };
}

function unproven(known: RecoveryState, server: ServerState): Hold {
  const detail = `timeline ${known.timeline} became ${server.timeline}, and no running process can tell whether all commits are there`;
  return { reason: 'unproven', detail };
}

/** As PostgreSQL writes it. */
function formatLsn(position: bigint): string {
  const low = position & 0xffff_ffffn;
  return `${(position >> 32n).toString(16)}/${low.toString(16)}`.toUpperCase();
}
