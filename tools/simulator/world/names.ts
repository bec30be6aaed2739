// What parts are called: in scripts and in the model, and at the carriers.

import { formatReference } from '#src/domain/record/part-reference.js';
import type { PartPosition } from '#src/pipeline/channel/parts/part-state.js';
import type { PartName } from '../model/facts.js';
import { taskNameOf } from './view.js';

export function nameOf({ chunk, index, part }: PartPosition): PartName {
  return { task: taskNameOf(chunk.taskId), seq: chunk.numbers.seq[index] ?? 0, part };
}

/** Our reference of a part. */
export function referenceOf({ chunk, index, part }: PartPosition): string {
  const { customerId, taskId, numbers } = chunk;
  return formatReference({ customerId, taskId, seq: numbers.seq[index] ?? 0, part });
}
