import type { Account, Preview } from '@postrider/client';
import { formatMoney, moneyFromMillionths, parseMoney, ZERO } from '../../domain/money.js';

/** As many as one preview shows. */
const rejectionsNamed = 100;
const samplesShown = 10;

function add(one: string, other: string): string {
  const sum = (parseMoney(one, 'signed') ?? ZERO) + (parseMoney(other, 'signed') ?? ZERO);
  return formatMoney(moneyFromMillionths(sum));
}

/** Two stretches of one input as one. Positions count on, and prices add up; what the balance covers is for the whole. */
export function joinPreviews(first: Preview, next: Preview): Preview {
  const firms = new Map(first.firms.map((share) => [share.firm, share]));
  for (const share of next.firms) {
    const known = firms.get(share.firm);
    firms.set(
      share.firm,
      known === undefined
        ? share
        : {
            ...share,
            numbers: known.numbers + share.numbers,
            parts: known.parts + share.parts,
            price: add(known.price, share.price),
          },
    );
  }
  const goOn = <Item extends { seq: number }>(item: Item): Item => ({ ...item, seq: item.seq + first.total });
  const price = add(first.price, next.price);
  return {
    total: first.total + next.total,
    sendable: first.sendable + next.sendable,
    rejected: first.rejected + next.rejected,
    parts: first.parts + next.parts,
    price,
    currency: next.currency,
    available: next.available,
    affordable: first.affordable && next.affordable,
    waits_for: first.waits_for ?? next.waits_for,
    firms: [...firms.values()],
    rejections: [...first.rejections, ...next.rejections.map(goOn)].slice(0, rejectionsNamed),
    samples: [...first.samples, ...next.samples.map(goOn)].slice(0, samplesShown),
  };
}

/** What a price would wait for: the balance, with the credit that there is, or the limit of the day; null for neither. */
export function findWait(
  account: Pick<Account, 'available' | 'credit_limit' | 'daily_limit' | 'frozen_today'>,
  price: string,
): Preview['waits_for'] {
  const isAbove = (one: string, other: string) =>
    (parseMoney(one, 'signed') ?? ZERO) > (parseMoney(other, 'signed') ?? ZERO);
  if (parseMoney(price) === ZERO) return null;
  if (isAbove(price, add(account.available, account.credit_limit))) return 'funds';
  const { daily_limit: limit, frozen_today: frozen } = account;
  return limit !== null && isAbove(add(frozen, price), limit) ? 'limit' : null;
}
