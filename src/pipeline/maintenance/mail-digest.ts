// One mail a day to each operator who asked for it. Each process looks; the first to write down the day sends.

import { digestDayAt, isQuiet } from '../../domain/digest.js';
import { bucketSql } from '../../store/cluster/distribution.js';
import { readCommonTimeZone, readDigest } from '../../store/operator/digest.js';
import { noteNoticed, readDigestSubscribers } from '../../store/user/notices.js';
import type { NoticeDeps } from './mail-notices.js';
import { sumAllToTheEnd } from './sum-up.js';

export async function mailDigest({ sql, snapshot, sendUserMail, publicOrigin, now }: NoticeDeps): Promise<void> {
  const operators = await readDigestSubscribers(sql);
  if (operators.length === 0) return;
  const timeZone = await readCommonTimeZone(sql);
  const day = digestDayAt(timeZone, now());
  const mark = `digest ${day}`;
  // A change of the time zone does not go back to an earlier day.
  const due = operators.filter(({ noticed }) => (noticed?.[0] ?? '') < mark);
  if (due.length === 0) return;
  const buckets = snapshot().buckets();
  for (const bucket of buckets) if (!(await sumAllToTheEnd(bucketSql(sql, bucket), bucket))) return;
  const digest = await readDigest(sql, buckets, { day, timeZone });
  for (const operator of due) {
    const isNoted = await noteNoticed(sql, operator, [mark]);
    // A new subscriber gets its first one the next day.
    if (!isNoted || operator.noticed === null || isQuiet(digest)) continue;
    await sendUserMail({ kind: 'digest', email: operator.email, url: `${publicOrigin}/console/`, digest });
  }
}
