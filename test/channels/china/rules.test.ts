import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatLoginTime,
  formatReceiveTime,
  formatReportTime,
  formatValidity,
  parseReportTime,
  spellLoginTime,
} from '../../../src/channels/china/beijing-time.js';
import { normaliseHandset, toNational } from '../../../src/channels/china/numbers.js';
import { readReportWord } from '../../../src/channels/china/report-word.js';
import { classifyResult } from '../../../src/channels/china/result-class.js';
import { nameConnectStatus, SUBMIT_RESULTS } from '../../../src/channels/cmpp/results.js';

describe('Beijing time', () => {
  const newYear = Date.parse('2025-12-31T16:00:07Z');

  it('is eight hours ahead of UTC, over midnight and the year', () => {
    expect(formatLoginTime(newYear)).toBe('0101000007');
    expect(formatReportTime(newYear)).toBe('2601010000');
    expect(formatReceiveTime(newYear)).toBe('20260101000007');
    expect(formatValidity(new Date(newYear))).toBe('260101000007032+');
  });

  it('is spelled in ten digits where the integer has nine', () => {
    expect(spellLoginTime(Number('0301000000'))).toBe('0301000000');
  });

  it('is read to the minute', () => {
    const minutes = fc.integer({ min: Date.UTC(2001, 0) / 60_000, max: Date.UTC(2099, 11) / 60_000 });
    fc.assert(
      fc.property(minutes, (minute) => {
        expect(parseReportTime(formatReportTime(minute * 60_000))).toEqual(new Date(minute * 60_000));
      }),
    );
  });

  it.each(['', '0001010000', '0000000000', '2513010000', '2502300000', '2501012400', '2501010060', '25010100', 'abc'])(
    'is none in %j',
    (digits) => {
      expect(parseReportTime(digits)).toBeUndefined();
    },
  );
});

describe('a handset', () => {
  it('goes as eleven digits where it is a mainland number', () => {
    expect(toNational('8613800138000')).toBe('13800138000');
    expect(toNational('85291234567')).toBe('85291234567');
    expect(toNational('8675512345678')).toBe('8675512345678');
  });

  it.each([
    ['13800138000', '8613800138000'],
    ['8613800138000', '8613800138000'],
    ['+8613800138000', '8613800138000'],
    ['008613800138000', '8613800138000'],
    ['85291234567', '85291234567'],
    ['10086', '10086'],
    ['A1B2C3', undefined],
    ['', undefined],
  ])('that comes as %s is %s', (address, phone) => {
    expect(normaliseHandset(address)).toBe(phone);
  });
});

describe('the word of a report', () => {
  it.each([
    ['DELIVRD', 'delivered'],
    ['delivrd', 'delivered'],
    ['EXPIRED', 'expired'],
    ['DELETED', 'undelivered'],
    ['UNDELIV', 'undelivered'],
    ['UNKNOWN', 'undelivered'],
    ['ACCEPTD', 'intermediate'],
    ['REJECTD', 'rejected'],
    ['MB:0010', 'rejected'],
    ['IB:0001', 'rejected'],
    ['MA:0054', 'undelivered'],
    ['MC:0055', 'undelivered'],
    ['AF:4', 'undelivered'],
    ['SB:0001', 'undelivered'],
    ['', 'undelivered'],
  ])('%s is %s', (word, status) => {
    expect(readReportWord(word)).toBe(status);
  });
});

describe('the results of CMPP', () => {
  it.each([
    [0, 'accepted'],
    [3, 'unknown'],
    [8, 'throttled'],
    [1, 'configuration'],
    [10, 'configuration'],
    [13, 'refused'],
    [108, 'refused'],
  ])('class %i as %s', (result, name) => {
    expect(classifyResult(SUBMIT_RESULTS, result)).toBe(name);
  });

  it('name the status of a login', () => {
    expect(nameConnectStatus(3)).toBe('3 (authentication failed)');
    expect(nameConnectStatus(77)).toBe('77 (other)');
  });
});
