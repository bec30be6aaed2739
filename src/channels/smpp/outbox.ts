// PDUs that leave in one turn of the event loop leave in one socket write. They are encoded straight into a slab that is
// never written twice, so the socket may hold on to it without a copy.
import { encodePdu } from './codec.js';
import type { Body, Command, Tlvs } from './pdu.js';

const SLAB_BYTES = 64 * 1024;
/** More than any PDU needs besides its message. */
const FIELDS_BYTES = 1024;

export interface Outbox {
  send<C extends Command>(command: C, status: number, sequence: number, body?: Body<NoInfer<C>>, tlvs?: Tlvs): void;
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
    send(command, status, sequence, body, tlvs) {
      const needed = FIELDS_BYTES + (tlvs?.message_payload?.length ?? 0);
      if (slab.length - end < needed) {
        flush();
        slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, needed));
        start = 0;
        end = 0;
      }
      end = encodePdu(slab, end, command, status, sequence, body, tlvs);
      if (!isScheduled) {
        isScheduled = true;
        process.nextTick(flush);
      }
    },
  };
}
