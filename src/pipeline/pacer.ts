// How fast a channel may go: a token bucket in parts per second. When the upstream throttles, the rate falls to what the
// upstream has just been seen to accept, and from there it feels its way up again: quickly to what was accepted before,
// slowly beyond it. An upstream that throttles above some rate is thus used at that rate.
//
// Some upstreams turn parts away at any rate. There slowing down helps nobody: where the share that is turned away stays the
// same although the rate has fallen, that share is put up with, and the rate is given back.

import { makeRateMeter } from './rate-meter.js';

export interface Pacer {
  /** How many of `wanted` parts may go now; they count as gone. */
  take(wanted: number): number;
  /** How long until a part may go. */
  delayMs(): number;
  /** What became of a part that was taken; told once for each, also for those that never left. */
  answered(isThrottled: boolean): void;
  /** The present limit in parts per second; undefined when there is none. */
  rate(): number | undefined;
}

/** Answers are judged together: so many at least, unless they are slow to come. */
const MIN_JUDGED = 20;
const MIN_JUDGED_MS = 100;
const MAX_JUDGED_MS = 1000;
/** Answers to parts that left before the rate fell say nothing of the new one; beyond this they are not waited for. */
const MAX_STALE_MS = 1000;
const MIN_RATE = 1;
/** The bucket holds this much of a second, at least one part. */
const BURST_SECONDS = 0.1;
const CLIMB_INTERVAL_MS = 100;
/** Per climb, of the rate that was accepted before. */
const RECOVERY_SHARE = 0.1;
/** Per climb, of the present rate, beyond what was ever accepted; it doubles every two seconds without a cut. */
const PROBE_SHARE = 0.0025;
const MAX_PROBE_SHARE = 0.05;
/** Faster than anything: there is no limit any more. */
const UNLIMITED_RATE = 100_000;
/** A rate that has fallen by this much should have changed the share that is throttled. */
const TRIAL_FALL = 0.2;
/** More than this is no mood of the upstream, and never put up with. */
const MAX_TOLERATED = 0.5;

/** The rate before it began to fall, and the share that was throttled there. */
interface Trial {
  readonly rate: number;
  readonly share: number;
}

export function makePacer(limit: number | undefined, now: () => number): Pacer {
  const takenMeter = makeRateMeter(now);
  const acceptedMeter = makeRateMeter(now);
  let rate = limit;
  let tokens = 1;
  let filledAt = now();
  /** The rate up to which climbing is quick. */
  let proven = 0;
  let cutAt = now();
  let climbedAt = now();
  let hasAcceptedSinceCut = true;
  let outstanding = 0;
  let stale = 0;
  let judgedSince = now();
  let judged = 0;
  let throttled = 0;
  let tolerated = 0;
  let trial: Trial | undefined;

  const refill = (): void => {
    const at = now();
    climb(at);
    if (rate !== undefined) {
      tokens = Math.min(Math.max(1, rate * BURST_SECONDS), tokens + ((at - filledAt) * rate) / 1000);
    }
    filledAt = at;
  };

  const climb = (at: number): void => {
    const climbs = Math.floor((at - climbedAt) / CLIMB_INTERVAL_MS);
    if (climbs <= 0) return;
    climbedAt += climbs * CLIMB_INTERVAL_MS;
    // While nothing is accepted there is nothing to climb toward.
    if (rate === undefined || rate === limit || !hasAcceptedSinceCut) return;
    const quietSeconds = (at - cutAt) / 1000;
    const probe = Math.min(MAX_PROBE_SHARE, PROBE_SHARE * 2 ** (quietSeconds / 2));
    const recovered = Math.min(proven, rate + climbs * proven * RECOVERY_SHARE);
    setRate(rate < proven ? recovered : rate * (1 + probe) ** Math.min(climbs, 100));
    if (limit === undefined && rate >= UNLIMITED_RATE) rate = undefined;
  };

  const setRate = (next: number): void => {
    rate = Math.max(MIN_RATE, Math.min(next, limit ?? Number.POSITIVE_INFINITY));
  };

  const judge = (at: number): void => {
    const share = throttled / judged;
    const hasAccepted = throttled < judged;
    const wasJudged = judged;
    judgedSince = at;
    judged = 0;
    throttled = 0;
    if (isTolerable(share, wasJudged)) {
      tolerated += (share - tolerated) * (share < tolerated ? 0.1 : 0.02);
      trial = undefined;
    } else if (trial !== undefined && isIndifferent(trial, share)) {
      tolerated = share;
      setRate(trial.rate);
      trial = undefined;
      cutAt = at;
    } else cut(at, share, hasAccepted);
  };

  /** Within what is put up with, give or take what chance makes of so few answers. */
  const isTolerable = (share: number, answers: number): boolean =>
    share === 0 || (tolerated > 0 && share <= tolerated + 3 * Math.sqrt((tolerated * (1 - tolerated)) / answers));

  const isIndifferent = (tried: Trial, share: number): boolean =>
    share <= MAX_TOLERATED && share >= tried.share * 0.6 && (rate ?? 0) <= tried.rate * (1 - TRIAL_FALL);

  const cut = (at: number, share: number, hasAccepted: boolean): void => {
    const used = Math.max(MIN_RATE, takenMeter.perSecond());
    // Far above what is used the rate means nothing.
    const before = rate === undefined ? used : Math.min(rate, 2 * used);
    const accepted = acceptedMeter.perSecond() / (1 - tolerated);
    // A trial goes on while the share stays; a share that fell with the rate shows that the rate was the reason.
    if (trial === undefined || share < trial.share * 0.6) trial = { rate: before, share };
    setRate(Math.min(before, Math.max(accepted, before / 2)));
    // Where nothing at all is accepted, what was accepted before is still the best that is known.
    proven = hasAccepted ? Math.max(rate ?? 0, proven / 2) : Math.max(accepted, proven);
    cutAt = at;
    climbedAt = at;
    hasAcceptedSinceCut = false;
    stale = outstanding;
    tokens = Math.min(tokens, Math.max(1, (rate ?? 0) * BURST_SECONDS));
    filledAt = at;
  };

  return {
    take(wanted) {
      refill();
      const taken = rate === undefined ? wanted : Math.min(wanted, Math.floor(tokens));
      tokens -= rate === undefined ? 0 : taken;
      takenMeter.count(taken);
      outstanding += taken;
      return taken;
    },
    delayMs() {
      refill();
      return rate === undefined || tokens >= 1 ? 0 : Math.ceil(((1 - tokens) * 1000) / rate);
    },
    answered(isThrottled) {
      const at = now();
      outstanding = Math.max(0, outstanding - 1);
      if (!isThrottled) acceptedMeter.count(1);
      if (stale > 0) {
        stale = at - cutAt >= MAX_STALE_MS ? 0 : stale - 1;
        judgedSince = at;
        return;
      }
      if (!isThrottled) hasAcceptedSinceCut = true;
      judged += 1;
      throttled += isThrottled ? 1 : 0;
      const elapsed = at - judgedSince;
      if (elapsed >= MAX_JUDGED_MS || (elapsed >= MIN_JUDGED_MS && judged >= MIN_JUDGED)) judge(at);
    },
    rate: () => rate,
  };
}
