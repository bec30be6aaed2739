// Numbers that want nothing more from a customer. The intents of numbers that opt out later are looked up under the lock of the account
// (`pipeline/settle/settle.ts`): there may be millions, so they are not in memory.

import type { Rule } from '../rule.js';
import { readOptedOut } from './opted-out.js';

export const optOuts: Rule = {
  code: 'opted_out',
  isBeforeRouting: true,
  async load({ sql, bucket, snapshot }, tasks) {
    const phones = tasks.flatMap(({ task: { customerId }, numbers }) =>
      // The phone key of a valid number is its E.164 form.
      numbers.to.flatMap((phoneKey) => (phoneKey === undefined ? [] : [{ customerId, phoneKey }])),
    );
    const optedOut = await readOptedOut(sql, bucket, phones, snapshot().erasedKeyOf);
    if (optedOut.size === 0) return undefined;
    return ({ task: { customerId } }) =>
      (e164) =>
        optedOut.has(`${customerId}/${e164}`);
  },
};
