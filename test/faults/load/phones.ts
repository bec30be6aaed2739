// Phone numbers, each used once in a campaign, so that a journal line names its task. The last four digits say what the
// message centre does with it: its test numbers, or whatever its dice choose.

import type { Dice } from '../dice.js';

const FATES = ['9001', '9002', '9003', '9004', '9005', '9006', '9007'] as const;
const PREFIXES = ['130', '131', '132', '135', '136', '137', '138', '139', '150', '151', '158', '186'] as const;
const BLOCK = 10_000;

export interface PhoneBook {
  next(): string;
}

export function createPhoneBook(dice: Dice): PhoneBook {
  let count = 0;
  return {
    next() {
      const prefix = PREFIXES[Math.floor(count / BLOCK)];
      if (prefix === undefined) throw new Error('the campaign has used up its phone numbers');
      const middle = String(count % BLOCK).padStart(4, '0');
      count += 1;
      const tail = dice.isLuck(0.15) ? dice.pick(FATES) : String(dice.between(0, 8999)).padStart(4, '0');
      return `${prefix}${middle}${tail}`;
    },
  };
}

/** The fate that the number was given; undefined where the message centre's dice decide. */
export function fateOf(phone: string): (typeof FATES)[number] | undefined {
  return FATES.find((fate) => phone.endsWith(fate));
}

/** Whether the message centre keeps the answer to itself: the number is unknown without anybody's fault. */
export function losesAnswer(phone: string): boolean {
  const fate = fateOf(phone);
  return fate === '9004' || fate === '9005';
}
