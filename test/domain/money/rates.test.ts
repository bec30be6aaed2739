import fc from 'fast-check';
import { expect, test } from 'vitest';
import { moneyFromMillionths } from '../../../src/domain/money/money.js';
import { compileRates, type Rate } from '../../../src/domain/money/rates.js';
import { MESSAGE_CLASSES } from '../../../src/domain/rules/message-class.js';

const digits = fc.stringMatching(/^[1-3]{1,4}$/);
const rate: fc.Arbitrary<Rate> = fc.record({
  firm: fc.constantFrom('cmcc', 'unicom'),
  class: fc.constantFrom(null, ...MESSAGE_CLASSES),
  prefix: fc.option(digits),
  unitPrice: fc.nat(1000).map((price) => moneyFromMillionths(BigInt(price))),
  validFrom: fc.nat(5).map((day) => new Date(day * 1000)),
});
const keyOf = ({ firm, class: messageClass, prefix, validFrom }: Rate) =>
  `${firm} ${messageClass} ${prefix} ${validFrom.getTime()}`;

/** The words of the contract, one after the other. */
function choose(rates: readonly Rate[], firm: string, messageClass: string, e164: string, at: Date) {
  const applying = rates.filter(
    (row) =>
      row.firm === firm &&
      (row.class === null || row.class === messageClass) &&
      e164.startsWith(row.prefix ?? '') &&
      row.validFrom.getTime() <= at.getTime(),
  );
  const longest = Math.max(...applying.map((row) => (row.prefix ?? '').length));
  const ofPrefix = applying.filter((row) => (row.prefix ?? '').length === longest);
  const ofClass = ofPrefix.some((row) => row.class !== null) ? ofPrefix.filter((row) => row.class !== null) : ofPrefix;
  return ofClass.sort((one, other) => other.validFrom.getTime() - one.validFrom.getTime())[0]?.unitPrice;
}

test('the longest prefix wins, then the class, then the latest date that has come', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(rate, { selector: keyOf, maxLength: 20 }),
      fc.constantFrom(...MESSAGE_CLASSES),
      fc.stringMatching(/^[1-3]{1,6}$/),
      fc.nat(6),
      (rates, messageClass, e164, day) => {
        const at = new Date(day * 1000);
        const rateOf = compileRates(rates, 'cmcc', messageClass);
        expect(rateOf(e164, at)).toBe(choose(rates, 'cmcc', messageClass, e164, at));
      },
    ),
    { numRuns: 2000 },
  );
});
