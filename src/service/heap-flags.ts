import { setFlagsFromString } from 'node:v8';

/**
 * V8 makes objects old at birth where many of a kind were found alive by a young, still small heap. Here that is a page of rows
 * or a batch, and the guess is wrong: they die at once, and as old ones would stay until the heap has grown to a multiple.
 */
export function setHeapFlags(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
