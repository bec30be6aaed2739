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
  const queues = new Map<number, { entries: Entry<T>[]; head: number }>();
  let size = 0;
  let timer: NodeJS.Timeout | undefined;

  function run(): void {
    timer = undefined;
    const now = clock();
    for (const queue of queues.values()) {
      for (
        let entry = queue.entries[queue.head];
        entry !== undefined && entry.dueAt <= now;
        entry = queue.entries[queue.head]
      ) {
        queue.head += 1;
        size -= 1;
        onDue(entry.item);
      }
      if (queue.head > 10_000 || queue.head === queue.entries.length) {
        queue.entries = queue.entries.slice(queue.head);
        queue.head = 0;
      }
    }
    if (size > 0) timer ??= setTimeout(run, TICK_MS);
  }

  return {
    get size() {
      return size;
    },
    add(delayMs, item) {
      let queue = queues.get(delayMs);
      if (queue === undefined) {
        queue = { entries: [], head: 0 };
        queues.set(delayMs, queue);
      }
      queue.entries.push({ dueAt: clock() + delayMs, item });
      size += 1;
      timer ??= setTimeout(run, Math.min(TICK_MS, delayMs));
    },
    stop() {
      clearTimeout(timer);
      queues.clear();
      size = 0;
    },
  };
}
