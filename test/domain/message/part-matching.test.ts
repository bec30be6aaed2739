// Which part a report settles: the table in the source, driven by every combination of what was found.

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  type Candidate,
  chooseCandidate,
  MATCH_ORDER,
  phonesAgree,
} from '../../../src/domain/message/part-matching.js';

const OURS = '8613800138000';
const OTHER = '8613900139000';

const candidate = fc.record({
  how: fc.constantFrom(...MATCH_ORDER),
  to: fc.constantFrom(OURS, OTHER),
  found: fc.integer(),
});

test('whatever is found, nothing is settled against the number that the report names, save by our own reference', () => {
  fc.assert(
    fc.property(fc.array(candidate), fc.constantFrom(undefined, OURS), (found, phone) => {
      const chosen = chooseCandidate(phone, found);
      if (chosen === undefined) return;
      expect(found).toContain(chosen);
      if (chosen.how !== 'reference' && phone !== undefined) expect(chosen.to).toBe(OURS);
      // A guess needs a number that agrees, not only one that does not contradict.
      if (chosen.how === 'other_spelling' || chosen.how === 'lost_answer') expect(phone).toBe(OURS);
    }),
  );
});

test('a surer way of finding wins over a less sure one', () => {
  fc.assert(
    fc.property(fc.array(candidate, { minLength: 1 }), (found) => {
      const chosen = chooseCandidate(OURS, found);
      if (chosen === undefined) return;
      const surer = MATCH_ORDER.slice(0, MATCH_ORDER.indexOf(chosen.how));
      const passedOver = found.filter(({ how, to }) => surer.includes(how) && (how === 'reference' || to === OURS));
      expect(passedOver.every(({ how }) => how === 'lost_answer')).toBe(true);
    }),
  );
});

describe('one by one', () => {
  const of = (how: Candidate<string>['how'], to = OURS): Candidate<string> => ({ how, to, found: `${how} ${to}` });
  it.each([
    ['our reference, to whatever number', OTHER, [of('reference')], 'reference'],
    ['the exact id without a number', undefined, [of('exact')], 'exact'],
    ['the exact id of another number', OTHER, [of('exact')], undefined],
    ['another spelling of the number', OURS, [of('other_spelling')], 'other_spelling'],
    ['another spelling of nobody knows whom', undefined, [of('other_spelling')], undefined],
    ['one lost part to the number', OURS, [of('lost_answer')], 'lost_answer'],
    ['two lost parts to the number', OURS, [of('lost_answer'), of('lost_answer')], undefined],
    ['the newer of two parts with one id', OURS, [of('exact', OTHER), of('exact')], 'exact'],
  ] as const)('%s', (_, phone, found, how) => {
    expect(chooseCandidate(phone, found)?.how).toBe(how);
  });
});

it.each([
  [OURS, OURS, true],
  ['13800138000', OURS, true],
  ['013800138000', OURS, true],
  ['138000', OURS, false],
  [OTHER, OURS, false],
  ['', OURS, false],
])('%s and %s agree: %s', (one, other, agree) => {
  expect(phonesAgree(one, other)).toBe(agree);
  expect(phonesAgree(other, one)).toBe(agree);
});
