// Runs a computation of a transaction on the event loop: it yields to the loop after each slice. Unlike the slicer, it takes no
// rest and does not rotate over customers, because the transaction holds a connection and locks meanwhile.

import type { Steps } from '../../domain/steps.js';

const SLICE_MS = 2;

export async function runYielding<Result>(steps: Steps<Result>, now = () => performance.now()): Promise<Result> {
  for (let endMs = now() + SLICE_MS; ; ) {
    const step = steps.next();
    if (step.done) return step.value;
    if (now() < endMs) continue;
    await new Promise((resolve) => setImmediate(resolve));
    endMs = now() + SLICE_MS;
  }
}
