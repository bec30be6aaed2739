// The sequence number of SGIP: three integers. The first names the node that made it, the second its time without the year,
// the third counts. A report names the sequence number of its Submit, so it is also the message id: 24 hexadecimal digits.
import { formatLoginTime } from '../china/beijing-time.js';

export interface SgipSequence {
  /** Above 2^31 for every service provider: an unsigned integer. */
  readonly node: number;
  /** `MMDDHHMMSS` as an integer. */
  readonly time: number;
  readonly counter: number;
}

export function createSequence(node: number, atMs: number, counter: number): SgipSequence {
  return { node, time: Number(formatLoginTime(atMs)), counter: counter >>> 0 };
}

const word = (value: number): string => value.toString(16).padStart(8, '0');

export function formatSequence({ node, time, counter }: SgipSequence): string {
  return word(node) + word(time) + word(counter);
}
