import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageKeyOf, readReportedKeys, reportKeysOf } from '../../../src/domain/message/message-id.js';

describe('the key of a message id', () => {
  it('has neither case nor leading zeros', () => {
    expect(['00AB', 'ab', '0ab'].map(messageKeyOf)).toEqual(['ab', 'ab', 'ab']);
  });

  it('of zero is not that of no id', () => {
    expect(['', '0', '000'].map(messageKeyOf)).toEqual(['', '0', '0']);
    expect(readReportedKeys('')).toEqual({ exact: undefined, guesses: [] });
    expect(reportKeysOf('')).toEqual([]);
    expect(readReportedKeys('0').exact).toBe('0');
  });
});

describe('a reported id', () => {
  it('means exactly what it says, and another message only as a guess', () => {
    expect(readReportedKeys('1000')).toEqual({ exact: '1000', guesses: ['3e8', '4096'] });
    expect(readReportedKeys('1000', 'exact')).toEqual({ exact: '1000', guesses: [] });
  });

  it('leaves nothing to guess where the channel says how ids are spelled', () => {
    expect(readReportedKeys('1000', 'hex_then_decimal')).toEqual({ exact: '3e8', guesses: [] });
    expect(readReportedKeys('1000', 'decimal_then_hex')).toEqual({ exact: '4096', guesses: [] });
    expect(readReportedKeys('not-a-number', 'hex_then_decimal').exact).toBe('not-a-number');
  });

  it('that is no number, or longer than any, is itself alone', () => {
    expect(readReportedKeys('550e8400-e29b')).toEqual({ exact: '550e8400-e29b', guesses: [] });
    expect(readReportedKeys('1'.repeat(33)).guesses).toEqual([]);
  });

  it('has the answer’s key among its keys, in whichever of the usual ways the two are spelled', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n }), fc.nat(20), (id, width) => {
        const spellings = [id.toString(), id.toString(16), id.toString(16).toUpperCase().padStart(width, '0')];
        for (const answer of spellings) {
          for (const report of spellings) expect(reportKeysOf(report)).toContain(messageKeyOf(answer));
        }
      }),
    );
  });
});
