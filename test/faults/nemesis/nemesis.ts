// Does one harm after another, sometimes two at once, by a seeded schedule, and heals each of them.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '../dice.js';
import type { History } from '../history.js';
import type { World } from '../world.js';
import { DATABASE_FAULTS } from './database-faults.js';
import type { FaultKind } from './fault-kind.js';
import { NETWORK_FAULTS } from './network-faults.js';
import { PROCESS_FAULTS } from './process-faults.js';
import { STALL_FAULTS } from './stall-faults.js';

export const FAULT_KINDS: readonly FaultKind[] = [
  ...PROCESS_FAULTS,
  ...DATABASE_FAULTS,
  ...STALL_FAULTS,
  ...NETWORK_FAULTS,
];

export interface NemesisOptions {
  readonly world: World;
  readonly history: History;
  readonly dice: Dice;
  /** Only these, where not all of them. */
  readonly only?: readonly string[];
  readonly signal: AbortSignal;
}

/** One of them may hold a snapshot for a minute. */
const HANDS = 3;
const FIRST_PAUSE_MS = 1500;
const MAX_PAUSE_MS = 3500;

/** Resolves when the signal has ended it and everything is whole again. */
export async function runNemesis({ world, history, dice, only, signal }: NemesisOptions): Promise<void> {
  const kinds = FAULT_KINDS.filter(({ name }) => only?.includes(name) ?? true);
  const struck = new Set<string>();

  const strikeOnce = async (own: Dice): Promise<void> => {
    const kind = own.weigh(kinds);
    const free = kind.targets(world).filter((name) => !struck.has(name));
    const lastsMs = own.between(...kind.lasts);
    if (free.length === 0) return;
    const target = own.pick(free);
    struck.add(target);
    const startMs = history.nowMs();
    const hold = () => sleep(lastsMs, undefined, { signal }).catch(() => undefined);
    try {
      await kind.strike({ world, target, dice: own, hold });
    } finally {
      history.add({ kind: 'fault', name: kind.name, target, startMs, endMs: history.nowMs() });
      struck.delete(target);
    }
  };
  const act = async (hand: number): Promise<void> => {
    const own = dice.forActor(`hand ${hand}`);
    while (!signal.aborted) {
      const pauseMs = FIRST_PAUSE_MS * hand + own.next() * MAX_PAUSE_MS;
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      // The checker's own connection may be among what was struck.
      if (!signal.aborted) await strikeOnce(own).catch((error) => noteMiss(history, error));
    }
  };
  await Promise.all(Array.from({ length: HANDS }, (_, hand) => act(hand)));
  world.database.freeDisk();
  await world.database.start();
  for (const node of world.nodes) await node.ready();
}

function noteMiss(history: History, error: unknown): void {
  const now = history.nowMs();
  history.add({ kind: 'fault', name: 'missed', target: String(error), startMs: now, endMs: now });
}
