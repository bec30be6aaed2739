// The status words of delivery reports in CMPP and SMGP.
import type { ReportStatus } from '../channel.js';

const WORDS: ReadonlyMap<string, ReportStatus> = new Map([
  ['DELIVRD', 'delivered'],
  ['EXPIRED', 'expired'],
  ['DELETED', 'undelivered'],
  ['UNDELIV', 'undelivered'],
  ['UNKNOWN', 'undelivered'],
  ['ACCEPTD', 'intermediate'],
  ['REJECTD', 'rejected'],
]);

/** `MB:0010` and the like: the message centre, billing, the platform or the next gateway answered with an error. */
const REFUSED_ON_THE_WAY = /^[MCDI]B:/;

/** Every word but ACCEPTD is final: platforms invent words of their own, and all of those name a failure. */
export function readReportWord(word: string): ReportStatus {
  const upper = word.toUpperCase();
  return WORDS.get(upper) ?? (REFUSED_ON_THE_WAY.test(upper) ? 'rejected' : 'undelivered');
}
