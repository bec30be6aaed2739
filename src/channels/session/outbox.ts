// Batches the PDUs of one tick of the event loop into one socket write. They are encoded into a slab whose bytes are never reused, so
// the socket can keep a reference without copying.

const SLAB_BYTES = 64 * 1024;

export interface Outbox {
  /** `encode` writes at most `maxBytes` from `at` and returns where it ended. When it throws, nothing is added. */
  add(maxBytes: number, encode: (slab: Buffer, at: number) => number): void;
  /** Writes at once instead of at the end of this tick. */
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
