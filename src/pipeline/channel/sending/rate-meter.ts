// How many things happened a second, over the last second or since they began.

export interface RateMeter {
  count(things: number): void;
  perSecond(): number;
}

const SLOT_MS = 100;
const SLOTS = 10;

export function createRateMeter(now: () => number): RateMeter {
  const slots = new Float64Array(SLOTS);
  let slot = Math.floor(now() / SLOT_MS);
  let since = now();

  /** Empties the slots that time has passed over. */
  const advance = (at: number): void => {
    const current = Math.floor(at / SLOT_MS);
    if (current - slot >= SLOTS) {
      slots.fill(0);
      since = at;
    } else {
      for (let passed = slot + 1; passed <= current; passed++) slots[passed % SLOTS] = 0;
    }
    slot = current;
  };

  return {
    count(things) {
      advance(now());
      slots[slot % SLOTS] = (slots[slot % SLOTS] ?? 0) + things;
    },
    perSecond() {
      const at = now();
      advance(at);
      const oldest = (slot - SLOTS + 1) * SLOT_MS;
      // In less time than a slot takes, a handful of things would pass for a high rate.
      const observedMs = Math.max(SLOT_MS, at - Math.max(since, oldest));
      return (slots.reduce((sum, things) => sum + things, 0) * 1000) / observedMs;
    },
  };
}
