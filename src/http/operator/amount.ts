import { type Money, parseMoney } from '../../domain/money.js';

/** For text that has been checked; anything else is a fault of ours. */
export function toMoney(text: string): Money {
  const money = parseMoney(text, 'signed');
  if (money === undefined) throw new Error('an amount was used before it was checked');
  return money;
}
