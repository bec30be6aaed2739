// A file with one line of JSON for each accepted submit, written before it is answered, and one for each receipt that the
// client acknowledged: whatever becomes of this process or of the client, a checker can prove from it that no destination
// got a part twice, and that no receipt was acknowledged and then forgotten.
import { closeSync, openSync, writeSync } from 'node:fs';
import type { Submitted } from './protocol.js';

export interface Journal {
  accept(submitted: Submitted, readText: () => string, messageId: string, nowMs: number): void;
  /** The client has taken a receipt; the id is that of the answer. */
  acknowledge(messageId: string, nowMs: number): void;
  close(): void;
}

/** Lines are added to what earlier runs wrote; without a path nothing is written. */
export function openJournal(path: string): Journal {
  if (path === '') return { accept() {}, acknowledge() {}, close() {} };
  const file = openSync(path, 'a');
  return {
    accept({ to, from, segment, userReference }, readText, messageId, nowMs) {
      const line = {
        at: new Date(nowMs).toISOString(),
        to,
        from,
        reference: segment?.reference ?? null,
        user_message_reference: userReference ?? null,
        part: segment?.part ?? 1,
        parts: segment?.parts ?? 1,
        message_id: messageId,
        text: readText(),
      };
      // A write that has returned is with the operating system, and outlives this process.
      writeSync(file, `${JSON.stringify(line)}\n`);
    },
    acknowledge(messageId, nowMs) {
      const line = { at: new Date(nowMs).toISOString(), acknowledged: messageId };
      writeSync(file, `${JSON.stringify(line)}\n`);
    },
    close: () => closeSync(file),
  };
}
