import type { CallOptions } from '../transport.js';
import type { Account, Preview } from '../wire/wire.generated.js';
import type { SendRequest } from '../wire/wire.js';
import type { Decimal } from '../wire/wire-values.js';

interface PreviewCalls {
  preview(request: SendRequest, options: CallOptions): Promise<Preview>;
  account(options: CallOptions): Promise<Account>;
}

/** As many as one preview shows. */
const rejectionsNamed = 100;
const samplesShown = 10;

/** Asks for each, and adds up; null where there is nothing to ask for. */
export async function previewAll(
  { preview, account }: PreviewCalls,
  requests: Iterable<SendRequest> | AsyncIterable<SendRequest>,
  options: CallOptions,
): Promise<Preview | null> {
  let sum: Preview | null = null;
  let count = 0;
  for await (const request of requests) {
    const piece = await preview(request, options);
    sum = sum === null ? piece : join(sum, piece);
    count += 1;
  }
  if (sum === null || count === 1) return sum;
  // Each preview compares its own price with the whole balance; of several only the sum tells.
  const waits_for = findWait(await account(options), sum.price);
  return { ...sum, affordable: waits_for === null, waits_for };
}

/** Two stretches of one input as one: positions count on, and prices add up. */
function join(first: Preview, next: Preview): Preview {
  const keyOf = ({ firm, unit_price }: Preview['firms'][number]) => `${firm} ${unit_price}`;
  const firms = new Map(first.firms.map((share) => [keyOf(share), share]));
  for (const share of next.firms) {
    const known = firms.get(keyOf(share));
    firms.set(keyOf(share), {
      ...share,
      numbers: share.numbers + (known?.numbers ?? 0),
      parts: share.parts + (known?.parts ?? 0),
      price: add(share.price, known?.price ?? '0'),
    });
  }
  const goOn = <Item extends { seq: number }>(item: Item): Item => ({ ...item, seq: item.seq + first.total });
  return {
    ...next,
    total: first.total + next.total,
    sendable: first.sendable + next.sendable,
    rejected: first.rejected + next.rejected,
    parts: first.parts + next.parts,
    price: add(first.price, next.price),
    firms: [...firms.values()],
    rejections: [...first.rejections, ...next.rejections.map(goOn)].slice(0, rejectionsNamed),
    samples: [...first.samples, ...next.samples.map(goOn)].slice(0, samplesShown),
  };
}

/** What a price would wait for: the balance, with the credit that there is, or the limit of the day; null for neither. */
function findWait(
  { available, credit_limit, daily_limit, frozen_today }: Account,
  price: Decimal,
): Preview['waits_for'] {
  const needed = toMillionths(price);
  if (needed === 0n) return null;
  if (needed > toMillionths(available) + toMillionths(credit_limit)) return 'funds';
  const isOver = daily_limit !== null && toMillionths(frozen_today) + needed > toMillionths(daily_limit);
  return isOver ? 'limit' : null;
}

/** Amounts are added as whole millionths: no floating point comes near them. */
function add(one: Decimal, other: Decimal): Decimal {
  const digits = String(toMillionths(one) + toMillionths(other)).padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

function toMillionths(amount: Decimal): bigint {
  const [whole = '0', fraction = ''] = amount.replace('-', '').split('.');
  const millionths = BigInt(whole + fraction.padEnd(6, '0').slice(0, 6));
  return amount.startsWith('-') ? -millionths : millionths;
}
