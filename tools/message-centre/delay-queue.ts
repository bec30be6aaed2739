// Delayed callbacks on one timer. Each distinct delay has a separate queue, which is in order.

const TICK_MS = 5;

export interface DelayQueue<T> {
  add(delayMs: number, item: T): void;
  readonly size: number;
  stop(): void;
}

interface Entry<T> {
  readonly dueAt: number;
  readonly item: T;
}

export function createDelayQueue<T>(clock: () => number, onDue: (item: T) => void): DelayQueue<T> {
  const lanes = new Map<number, { entries: Entry<T>[]; head: number }>();
  let size = 0;
  let timer: NodeJS.Timeout | undefined;

  function run(): void {
    timer = undefined;
    const now = clock();
    for (const lane of lanes.values()) {
      for (
        let entry = lane.entries[lane.head];
        entry !== undefined && entry.dueAt <= now;
        entry = lane.entries[lane.head]
      ) {
        lane.head += 1;
        size -= 1;
        onDue(entry.item);
      }
      if (lane.head > 10_000 || lane.head === lane.entries.length) {
        lane.entries = lane.entries.slice(lane.head);
        lane.head = 0;
      }
    }
    if (size > 0) timer ??= setTimeout(run, TICK_MS);
  }

  return {
    get size() {
      return size;
    },
    add(delayMs, item) {
      let lane = lanes.get(delayMs);
      if (lane === undefined) {
        lane = { entries: [], head: 0 };
        lanes.set(delayMs, lane);
      }
      lane.entries.push({ dueAt: clock() + delayMs, item });
      size += 1;
      timer ??= setTimeout(run, Math.min(TICK_MS, delayMs));
    },
    stop() {
      clearTimeout(timer);
      lanes.clear();
      size = 0;
    },
  };
}
