// What a send would be, for lists that take several requests.

import type { Preview } from '@postrider/client';
import { addAmounts } from './money.js';

/** Several previews of one send as one. Rows are counted on from piece to piece. */
export function addPreviews(one: Preview, other: Preview): Preview {
  const firms = new Map(one.firms.map((firm) => [firm.firm, firm]));
  for (const firm of other.firms) {
    const known = firms.get(firm.firm);
    firms.set(
      firm.firm,
      known === undefined
        ? firm
        : {
            ...known,
            numbers: known.numbers + firm.numbers,
            parts: known.parts + firm.parts,
            price: addAmounts(known.price, firm.price),
          },
    );
  }
  const moved = other.rejections.map((rejection) => ({ ...rejection, seq: rejection.seq + one.total }));
  return {
    ...one,
    total: one.total + other.total,
    sendable: one.sendable + other.sendable,
    rejected: one.rejected + other.rejected,
    parts: one.parts + other.parts,
    price: addAmounts(one.price, other.price),
    firms: [...firms.values()],
    rejections: [...one.rejections, ...moved].slice(0, 100),
  };
}
