// The slots of a recorder for commit marks. A batch has one until it is settled, so that concurrent transactions do not wait for each
// other's row.

import { randomUUID } from 'node:crypto';
import type { CommitMark } from '../../store/recovery/commit-mark.js';

export interface CommitSlot {
  /** Of the next attempt. */
  nextMark(): CommitMark;
  /** Its attempts have ended. */
  release(): void;
}

export interface CommitSlots {
  take(): CommitSlot;
}

export function createCommitSlots(process: string = randomUUID()): CommitSlots {
  const free: number[] = [];
  let slots = 0;
  let last = 0;
  return {
    take() {
      const slot = free.pop() ?? slots++;
      return {
        nextMark: () => ({ process, slot, number: ++last }),
        release: () => void free.push(slot),
      };
    },
  };
}
