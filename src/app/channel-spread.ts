// Spreads channels evenly over the processes of a machine. Each channel has a process that takes it at once; another takes it only
// when it has been without an owner for a while, so that a channel finds its process again after a restart, and a process that
// hangs loses its channels within the ten seconds that a takeover may last.

import type { ChannelConfig } from '../domain/entities/channel.js';
import type { Snapshot } from '../store/snapshot/snapshot.js';
import type { Machine } from './machine.js';

/** Of the next process in rotation, and of all others. With a lease of six seconds and a round of one, below ten. */
const NEXT_PATIENCE_MS = 1500;
const LAST_PATIENCE_MS = 2500;

export interface ChannelSpreadOptions {
  readonly machine: Pick<Machine, 'index' | 'processes' | 'isComplete'>;
  readonly snapshot: () => Pick<Snapshot, 'version' | 'channels'>;
  /** The local port that a channel listens on. Channels that share one belong into one process. */
  readonly localPortOf: (channel: ChannelConfig) => string | undefined;
}

/** How long a channel must have been without an owner before this process takes it. */
export function createChannelSpread(options: ChannelSpreadOptions): (channel: ChannelConfig) => number {
  const { index, processes, isComplete } = options.machine;
  let version: bigint | undefined;
  let homes: ReadonlyMap<bigint, number> = new Map();
  return (channel) => {
    if (processes === 1) return 0;
    const snapshot = options.snapshot();
    if (snapshot.version !== version) {
      version = snapshot.version;
      homes = findHomes(snapshot.channels(), processes, options.localPortOf);
    }
    const distance = (index - (homes.get(channel.channelId) ?? 0) + processes) % processes;
    if (distance === 0) return 0;
    // Its own process may still be starting.
    if (!isComplete()) return Number.POSITIVE_INFINITY;
    return distance === 1 ? NEXT_PATIENCE_MS : LAST_PATIENCE_MS;
  };
}

/** In rotation, oldest first: a channel that is added changes no other. */
function findHomes(
  channels: readonly ChannelConfig[],
  processes: number,
  localPortOf: ChannelSpreadOptions['localPortOf'],
): Map<bigint, number> {
  const homes = new Map<bigint, number>();
  const ports = new Map<string, number>();
  let next = 0;
  for (const channel of [...channels].sort(byId)) {
    const port = localPortOf(channel);
    const home = (port === undefined ? undefined : ports.get(port)) ?? next++ % processes;
    homes.set(channel.channelId, home);
    if (port !== undefined) ports.set(port, home);
  }
  return homes;
}

function byId(one: ChannelConfig, other: ChannelConfig): number {
  return one.channelId < other.channelId ? -1 : 1;
}
