// Sums by hour are kept for a while, and so are receipts. Before that, a time that cuts a day or an hour would be answered with too little.

import { errorText } from '../../domain/fault/error-text.js';
import type { Fault } from '../../domain/fault/fault.js';
import { dayAt, startOfDay, startOfHour } from '../../domain/local-time.js';
import { formatTime } from '../../domain/rfc3339.js';
import { firstHourKept, HOURS_KEPT_DAYS } from '../../store/money/old-hours.js';
import { readHistoryKeptFrom } from '../../store/retention/months.js';
import type { AnySql } from '../../store/sql.js';
import { parameterFault } from './query-string.js';

export interface AskedTimes {
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
}

/** Where hours have ended, whole days are left; where receipts have ended, whole hours. `timeZones` are those that the answer counts by. */
export async function checkKeptTimes(
  sql: AnySql,
  { startMs, endMs }: AskedTimes,
  timeZones: readonly string[],
  nowMs: number,
): Promise<Fault[]> {
  const hoursFromMs = firstHourKept(nowMs);
  const isMidnight = (ms: number) => timeZones.every((zone) => startOfDay(zone, dayAt(zone, ms)) === ms);
  const hoursCutBy = (ms: number) => timeZones.map((zone) => startOfHour(zone, ms)).filter((begin) => begin !== ms);
  const times = Object.entries({ start_at: startMs, end_at: endMs }).flatMap(([name, ms]) =>
    ms === undefined ? [] : [{ name, ms, cutHours: hoursCutBy(ms) }],
  );
  const readsReceipts = times.some(({ cutHours }) => cutHours.length > 0);
  const receiptsFrom = readsReceipts ? await readHistoryKeptFrom(sql) : undefined;
  const zones = timeZones.join(', ');
  return times.flatMap(({ name, ms, cutHours }) => {
    if (ms < hoursFromMs && !isMidnight(ms)) {
      const kept = { days: HOURS_KEPT_DAYS, from: formatTime(new Date(hoursFromMs)), zones };
      return [parameterFault(name, 'out_of_range', errorText('hours_not_midnight', kept))];
    }
    if (receiptsFrom !== undefined && cutHours.some((begin) => begin < receiptsFrom.getTime())) {
      const kept = { from: formatTime(receiptsFrom), zones };
      return [parameterFault(name, 'out_of_range', errorText('receipts_not_whole_hour', kept))];
    }
    return [];
  });
}
