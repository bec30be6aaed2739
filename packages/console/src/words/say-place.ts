import { type Say, sayValue } from './say.js';

/** Where a fault is, in words: `/recipients/3/phone` is "Recipients 4, Phone". Empty for the body as a whole. */
export function sayPlace(say: Say, pointer: string): string {
  const names = pointer.split('/').slice(1);
  const words = names.map((name) => (/^\d+$/.test(name) ? String(Number(name) + 1) : sayName(say, name)));
  return words.join(', ').replaceAll(/, (\d+)(?=,|$)/g, ' $1');
}

function sayName(say: Say, name: string): string {
  const text = sayValue(say, 'field', name);
  if (text !== name) return text;
  const plain = name.replaceAll('_', ' ');
  return /^p\d+$/.test(name) ? `{${name}}` : plain.charAt(0).toUpperCase() + plain.slice(1);
}
