// PDUs that leave in one turn of the event loop leave in one socket write. They are encoded straight into a slab that is
// never written twice, so the socket may hold on to it without a copy.

const SLAB_BYTES = 64 * 1024;

export interface Outbox {
  /** `encode` writes at most `maxBytes` from `at` and returns where it ended. When it throws, nothing is added. */
  add(maxBytes: number, encode: (slab: Buffer, at: number) => number): void;
  /** Writes what has gathered now instead of at the end of this turn. */
  flush(): void;
}

export function createOutbox(write: (octets: Buffer) => void): Outbox {
  let slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
  let start = 0;
  let end = 0;
  let isScheduled = false;

  function flush(): void {
    isScheduled = false;
    if (end === start) return;
    const octets = slab.subarray(start, end);
    start = end;
    write(octets);
  }

  return {
    flush,
    add(maxBytes, encode) {
      if (slab.length - end < maxBytes) {
        flush();
        slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, maxBytes));
        start = 0;
        end = 0;
      }
      end = encode(slab, end);
      if (!isScheduled) {
        isScheduled = true;
        process.nextTick(flush);
      }
    },
  };
}
