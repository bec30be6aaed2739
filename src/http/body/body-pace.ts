// Reads large bodies slowly: one piece of one body at a time, bodies in rotation, with a rest in between. A client that sends large
// bodies without end would otherwise keep the event loop busy with nothing but reading and hashing them.

import type { Readable } from 'node:stream';

export interface BodyPace {
  /** Pauses the body until its next piece may be read. */
  hold(body: Readable): void;
}

/** With pieces of 64 KiB about 30 MiB a second, for all large bodies together. */
const REST_MS = 2;

export function createBodyPace(): BodyPace {
  const held: Readable[] = [];

  const releaseNext = (): void => {
    held.shift()?.resume();
    if (held.length > 0) setTimeout(releaseNext, REST_MS);
  };

  return {
    hold(body) {
      body.pause();
      held.push(body);
      if (held.length === 1) setTimeout(releaseNext, REST_MS);
    },
  };
}
