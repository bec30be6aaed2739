// A chunk for tests: one number in one part, up for dispatch, by default. Its keys and offsets follow from the rest.

import { type Chunk, chunkKeyOf, taskKeyOf } from '../../../src/domain/chunk/chunk.js';
import { offsetsOf } from '../../../src/domain/chunk/chunk-state.js';
import { asCustomerId, asTaskId } from '../../../src/domain/id.js';
import { ZERO } from '../../../src/domain/money/money.js';

export function chunkOf(changes: Partial<Omit<Chunk, 'key' | 'taskKey' | 'offsets'>> = {}): Chunk {
  const chunk = {
    bucket: 0,
    customerId: asCustomerId(1n),
    taskId: asTaskId(2n),
    chunkNo: 1,
    queueNo: 1n,
    channelId: 1n,
    serviceAccountId: 1n,
    firm: 'cmcc',
    unitPrice: ZERO,
    expiresAt: null,
    tried: [],
    numbers: { seq: [1], phone: ['13800138000'], to: ['8613800138000'], text: 'Hello', parts: [1] },
    ...changes,
  };
  return { ...chunk, key: chunkKeyOf(chunk), taskKey: taskKeyOf(chunk), offsets: offsetsOf(chunk.numbers.parts) };
}
