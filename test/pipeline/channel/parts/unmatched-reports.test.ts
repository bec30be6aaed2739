// Many unmatched reports: a lost answer finds its own by a key, and all of them share the memory of parts.

import { expect, test } from 'vitest';
import type { Report } from '../../../../src/channels/channel.js';
import { createPartMemory } from '../../../../src/pipeline/channel/parts/part-memory.js';
import {
  createUnmatchedReports,
  type UnmatchedReport,
} from '../../../../src/pipeline/channel/parts/unmatched-reports.js';

const REPORTS = 100_000;
const LOSSES = 100;

/** Unmatched reports that count their reads. */
function fill(count: number, maxBytes: number, phoneOf: (at: number) => string) {
  let looks = 0;
  const memory = createPartMemory(maxBytes);
  const unmatched = createUnmatchedReports(memory, 'auto');
  for (let at = 0; at < count; at++) {
    const said = { kind: 'report', messageId: `id-${at}`, status: 'delivered', code: 'DELIVRD' } as const;
    const report: Report = { ...said, phone: phoneOf(at), ack: () => {}, nack: () => {} };
    const entry: UnmatchedReport = {
      get report() {
        looks += 1;
        return report;
      },
      get receivedAt() {
        looks += 1;
        return at;
      },
      stored: BigInt(at),
    };
    unmatched.add(entry);
  }
  looks = 0;
  return { memory, unmatched, looks: () => looks };
}

test('a disconnect with a hundred losses looks at the reports to those numbers alone', () => {
  const { unmatched, looks } = fill(REPORTS, 1e9, (at) => String(8_613_800_000_000 + at));
  for (let at = 0; at < LOSSES; at++) {
    const phone = String(8_613_800_000_000 + at * 7);
    expect(unmatched.findOnly(phone, 0)?.stored).toBe(BigInt(at * 7));
    expect(unmatched.byReference(`1.7.${at}.1`)).toEqual([]);
  }
  expect(looks()).toBeLessThanOrEqual(LOSSES * 2);
});

test('a flood of reports to one number is neither scanned nor matched by a guess', () => {
  const { unmatched, looks } = fill(REPORTS, 1e9, () => '8613800138000');
  for (let at = 0; at < LOSSES; at++) expect(unmatched.findOnly('8613800138000', REPORTS - 1)).toBeUndefined();
  expect(looks()).toBeLessThanOrEqual(LOSSES * 10);
});

test('they stay within their share of the bytes, the oldest out, and nothing is guessed about what was left out', () => {
  const maxBytes = 1e6;
  const { memory, unmatched } = fill(10_000, maxBytes, (at) => String(8_613_800_000_000 + at));
  expect(memory.bytes()).toBeLessThanOrEqual(maxBytes / 2);
  expect(unmatched.all().length).toBeGreaterThan(100);
  expect(unmatched.all().at(-1)?.stored).toBe(9999n);
  expect(unmatched.findOnly('8613800009999', 9999)?.stored).toBe(9999n);
  // Another one to the number may have been among those.
  expect(unmatched.findOnly('8613800009999', 0)).toBeUndefined();
  for (const entry of unmatched.all()) unmatched.remove(entry);
  expect(memory.bytes()).toBe(0);
});
