// The name under which an upstream may speak of a part that it has not answered for.

import { asCustomerId, asTaskId } from '../id.js';
import type { PartKey } from './records.js';

export function formatReference({ customerId, taskId, seq, part }: PartKey): string {
  return `${customerId}.${taskId}.${seq}.${part}`;
}

export function parseReference(text: string): PartKey | undefined {
  const match = /^(\d{1,19})\.(\d{1,19})\.(\d{1,9})\.(\d{1,9})$/.exec(text);
  if (match === null) return undefined;
  const [, customerId = '', taskId = '', seq = '', part = ''] = match;
  return {
    customerId: asCustomerId(BigInt(customerId)),
    taskId: asTaskId(BigInt(taskId)),
    seq: Number(seq),
    part: Number(part),
  };
}
