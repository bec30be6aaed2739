// When the unmatched reports of an open channel are looked up again.

import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Report } from '../../../../src/channels/channel.js';
import type { ReportMatcher } from '../../../../src/pipeline/channel/parts/report-matcher.js';
import type { UnmatchedReport } from '../../../../src/pipeline/channel/parts/unmatched-reports.js';
import { createRematches } from '../../../../src/pipeline/channel/reports/rematches.js';

const MINUTE = 60_000;
const report = {} as Report;

/** Calls `due` every second, as the owner does. Returns in which minutes each report was looked up. */
async function watch(
  receivedAts: readonly number[],
  minutes: number,
  isBroken: (minute: number) => boolean = () => false,
) {
  let now = 0;
  let runs = 0;
  const waiting = receivedAts.map((receivedAt): UnmatchedReport => ({ report, receivedAt, stored: 1n }));
  const looked = new Map<UnmatchedReport, number[]>(waiting.map((entry) => [entry, []]));
  const matcher: Pick<ReportMatcher, 'rematch' | 'rematchDue'> = {
    rematch: () => expect.fail('not all of them are due'),
    async rematchDue(isDue) {
      runs += 1;
      if (isBroken(now / MINUTE)) throw new Error('the database is away');
      for (const [entry, at] of looked) if (entry.receivedAt <= now && isDue(entry)) at.push(now / MINUTE);
    },
  };
  const rematches = createRematches({ matcher, log: pino({ level: 'silent' }), now: () => now });
  for (now = 0; now <= minutes * MINUTE; now += 1000) {
    rematches.due();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { looked: [...looked.values()], runs };
}

test('a report is looked up after a minute and whenever its age has doubled, one of an hour ago as well', async () => {
  const { looked, runs } = await watch([0, 30_000, -60 * MINUTE], 70);
  expect(looked).toEqual([
    [1, 2, 4, 8, 16, 32, 64],
    [2, 3, 5, 9, 17, 33, 65],
    [4, 68],
  ]);
  expect(runs).toBe(70);
});

test('reports whose lookup failed are looked up a minute later', async () => {
  const { looked, runs } = await watch([0], 8, (minute) => minute === 2 || minute === 3);
  expect(looked).toEqual([[1, 4, 8]]);
  expect(runs).toBe(8);
});
