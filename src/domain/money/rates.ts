// Which rate applies to a number: what a customer pays for a part, or what a channel charges us. Of the rows that apply, the
// longest prefix wins, then the row of the message class, then the latest `valid_from` that has come.

import type { MessageClass } from '../rules/message-class.js';
import type { Money } from './money.js';

export interface Rate {
  readonly firm: string;
  /** Null: every class. */
  readonly class: MessageClass | null;
  /** E.164 digits that the number begins with; null: every number. */
  readonly prefix: string | null;
  readonly unitPrice: Money;
  readonly validFrom: Date;
}

/** The rate of a number of one firm and class at a moment; undefined where no row applies. */
export type RateOf = (e164: string, at: Date) => Money | undefined;

/** Sorts the rows of a firm once, so that a number costs a look-up by prefix, and none where there are no prefixes. */
export function compileRates(rates: Iterable<Rate>, firm: string, messageClass: MessageClass): RateOf {
  const byPrefix = new Map<string, Rate[]>();
  let longest = 0;
  for (const rate of rates) {
    if (rate.firm !== firm || (rate.class !== null && rate.class !== messageClass)) continue;
    const prefix = rate.prefix ?? '';
    const others = byPrefix.get(prefix);
    if (others === undefined) byPrefix.set(prefix, [rate]);
    else others.push(rate);
    longest = Math.max(longest, prefix.length);
  }
  for (const rows of byPrefix.values()) rows.sort(byPrecedence);
  return (e164, at) => {
    for (let length = Math.min(longest, e164.length); length >= 0; length--) {
      const rate = byPrefix.get(e164.slice(0, length))?.find(({ validFrom }) => validFrom <= at);
      if (rate !== undefined) return rate.unitPrice;
    }
    return undefined;
  };
}

/** Of rows with the same prefix: the class before every class, then the latest first. */
function byPrecedence(one: Rate, other: Rate): number {
  if ((one.class === null) !== (other.class === null)) return one.class === null ? 1 : -1;
  return other.validFrom.getTime() - one.validFrom.getTime();
}
