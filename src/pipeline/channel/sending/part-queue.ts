// Implements the queue that the part lifecycle uses, on the turns in memory and the loader that fills them.

import type { Wake } from '../../wake.js';
import type { PartQueue } from '../parts/part-lifecycle.js';
import type { ClassHours } from './class-hours.js';
import type { Loader } from './loader.js';
import type { Pacer } from './pacer.js';
import type { Turns } from './turns.js';

export interface PartQueueDeps {
  readonly turns: Turns;
  readonly hours: Pick<ClassHours, 'isOpen' | 'hold'>;
  readonly loader: Loader;
  readonly pacer: Pacer;
  readonly wake: Wake;
}

export function createPartQueue({ turns, hours, loader, pacer, wake }: PartQueueDeps): PartQueue {
  return {
    putBack: (part) => (hours.isOpen(part.position.chunk) ? turns.putBack([part]) : hours.hold(part.position.chunk)),
    dropNumber: turns.drop,
    // A paused or cancelled task still has parts in memory: they must not count against the rate.
    refund: (parts) => pacer.refund(parts.length),
    pause(customerId) {
      turns.clear(customerId);
      loader.pause(customerId);
    },
    resume(customerId, isIdle) {
      loader.resume(customerId, isIdle);
      wake.notifyLocal('dispatch');
    },
  };
}
