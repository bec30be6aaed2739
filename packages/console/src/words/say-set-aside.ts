import type { SetAside } from '@postrider/client';
import type { Say } from './say.js';

/** What could not be done. */
export function sayWhat(say: Say, { kind, parts }: SetAside): string {
  return kind === 'record' ? say('setAside.record', { count: parts ?? 1 }) : say(`setAside.${kind}`);
}
