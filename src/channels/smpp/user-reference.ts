// Finds the part of a receipt by user_message_reference, for carriers that echo it. The parameter has sixteen bits, so references are
// reused: the number of the handset must match, too.
import type { Part } from '../channel.js';
import type { Tlvs } from './pdu.js';

const SIZE = 0x10000;

export interface UserReferences {
  attach(part: Part, tlvs: Tlvs | undefined): Tlvs | undefined;
  find(userMessageReference: number, phone: string | undefined): string | undefined;
}

export function createUserReferences(isEnabled: boolean): UserReferences {
  if (!isEnabled) return { attach: (_part, tlvs) => tlvs, find: () => undefined };
  const recent: ({ readonly reference: string; readonly to: string } | undefined)[] = new Array(SIZE);
  let next = 0;
  return {
    attach({ reference, to }, tlvs) {
      next = (next + 1) % SIZE;
      recent[next] = { reference, to };
      return { ...tlvs, user_message_reference: next };
    },
    find(userMessageReference, phone) {
      const part = recent[userMessageReference];
      return part !== undefined && part.to === phone ? part.reference : undefined;
    },
  };
}
