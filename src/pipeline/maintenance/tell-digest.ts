// One mail a day to each operator who asked for it. Each process looks; who writes down the day first sends.

import { digestDayAt, isQuiet } from '../../domain/digest.js';
import { bucketSql } from '../../store/cluster/distribution.js';
import { readCommonTimeZone, readDigest } from '../../store/operator/digest.js';
import { noteNoticed, readDigestSubscribers } from '../../store/user/notices.js';
import { sumAllToTheEnd } from './sum-up.js';
import type { NoticeDeps } from './tell-notices.js';

export async function tellDigest({ sql, snapshot, sendUserMail, publicOrigin, now }: NoticeDeps): Promise<void> {
  const operators = await readDigestSubscribers(sql);
  if (operators.length === 0) return;
  const timeZone = await readCommonTimeZone(sql);
  const day = digestDayAt(timeZone, now());
  const told = `digest ${day}`;
  // A change of the time zone does not go back to an earlier day.
  const due = operators.filter(({ noticed }) => (noticed?.[0] ?? '') < told);
  if (due.length === 0) return;
  const buckets = snapshot().buckets();
  for (const bucket of buckets) if (!(await sumAllToTheEnd(bucketSql(sql, bucket), bucket))) return;
  const digest = await readDigest(sql, buckets, { day, timeZone });
  for (const operator of due) {
    const isNoted = await noteNoticed(sql, operator, [told]);
    // Who has just chosen it is told from the next day on.
    if (!isNoted || operator.noticed === null || isQuiet(digest)) continue;
    await sendUserMail({ kind: 'digest', email: operator.email, url: `${publicOrigin}/console/`, digest });
  }
}
