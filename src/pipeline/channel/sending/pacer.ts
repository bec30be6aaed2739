// How fast a channel may go: a token bucket in parts per second. When the upstream throttles, the rate falls to what the
// upstream has just been seen to accept, and from there it feels its way up again: quickly to what was accepted before,
// slowly beyond it. An upstream that throttles above some rate is thus used at that rate.
//
// Some upstreams turn parts away at any rate. There slowing down helps nobody: where the share that is turned away stays the
// same although the rate has fallen, that share is put up with, and the rate is given back.

import { createRateMeter } from './rate-meter.js';

export interface Pacer {
  /** How many of `wanted` parts may go now; they count as gone. */
  take(wanted: number): number;
  /** How long until a part may go. */
  delayMs(): number;
  /** What became of a part that was taken and handed to the channel; told once for each, also for those that never left. */
  answered(isThrottled: boolean): void;
  /** So many of those that were taken do not go after all: others may go in their place. */
  giveBack(parts: number): void;
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
/** Per climb, of the present rate, beyond what was accepted; it doubles every two seconds without a cut. */
const PROBE_SHARE = 0.003;
const MAX_PROBE_SHARE = 0.05;
/** Faster than anything: there is no limit any more. */
const UNLIMITED_RATE = 100_000;
/** More than this is no mood of the upstream, and never put up with. */
const MAX_TOLERATED = 0.35;
/** What a few answers may show beyond the share that is behind them. */
const CHANCE = 0.25;
/** More answers are judged together where some are put up with, so that chance does not pass for a signal. */
const MIN_JUDGED_TOLERATING = 60;
/** How quickly the tolerated share follows what is seen. */
const TOLERANCE_STEP = 0.05;
/** Of what was accepted: a little less, so that an upstream with a limit shows by throttling nothing any more. */
const CUT_SHARE = 0.93;
/** With a share of at most `MAX_TOLERATED` no upstream has its limit below this much of the rate. */
const TRIAL_FLOOR = 0.5;
const MAX_TRIAL_MS = 5000;

/** What tells an upstream with a limit from one that turns parts away at any rate: the rate falls; does the share? */
interface Trial {
  readonly startedAt: number;
  /** Before it fell. */
  readonly rate: number;
  readonly share: number;
  /** What there was of a limit then. */
  readonly limit: number | undefined;
  /** Answers at the present rate. */
  judged: number;
  throttled: number;
}

export function createPacer(limit: number | undefined, now: () => number): Pacer {
  const takenMeter = createRateMeter(now);
  const acceptedMeter = createRateMeter(now);
  let rate = limit;
  let tokens = 1;
  let filledAt = now();
  /** The rate up to which climbing is quick. */
  let proven = 0;
  let cutAt = now();
  /** Since when nothing has spoken for going slowly. */
  let quietSince = cutAt;
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
    // While nothing is accepted there is nothing to climb toward, and a trial wants a rate that stays.
    if (rate === undefined || rate === limit || !hasAcceptedSinceCut || trial !== undefined) return;
    const quietSeconds = (at - quietSince) / 1000;
    const probe = Math.min(MAX_PROBE_SHARE, PROBE_SHARE * 2 ** (quietSeconds / 2));
    const recovered = Math.min(proven, rate + climbs * proven * RECOVERY_SHARE);
    setRate(rate < proven ? recovered : rate * (1 + probe) ** Math.min(climbs, 100));
    if (limit === undefined && rate >= UNLIMITED_RATE) rate = undefined;
  };

  const setRate = (next: number): void => {
    rate = Math.max(MIN_RATE, Math.min(next, limit ?? Number.POSITIVE_INFINITY));
  };

  const judge = (at: number): void => {
    const answers = judged;
    const share = throttled / judged;
    judgedSince = at;
    judged = 0;
    throttled = 0;
    if (trial !== undefined && share <= MAX_TOLERATED + CHANCE) {
      trial.judged += answers;
      trial.throttled += share * answers;
      goOn(trial, at);
    } else if (isTolerable(share, answers)) {
      tolerated = Math.min(MAX_TOLERATED, tolerated + (share - tolerated) * TOLERANCE_STEP);
    } else cut(at, share);
  };

  /** Ends a trial, or lets the rate fall further. */
  const goOn = (current: Trial, at: number): void => {
    const isTooLong = at - current.startedAt > MAX_TRIAL_MS;
    if (current.judged < Math.max(2 * MIN_JUDGED, 4 / current.share) && !isTooLong) return;
    const share = current.throttled / current.judged;
    if (share < current.share / 2 || isTooLong) {
      // What is left at a lower rate has nothing to do with the rate.
      trial = undefined;
      tolerated = share;
    } else if ((rate ?? 0) <= current.rate * TRIAL_FLOOR && share <= MAX_TOLERATED) {
      trial = undefined;
      tolerated = share;
      rate = current.limit;
      // Nothing is known any more that speaks for going slowly.
      quietSince = Number.NEGATIVE_INFINITY;
    } else cut(at, share);
  };

  /** Within what is put up with, give or take what chance makes of so few answers. */
  const isTolerable = (share: number, answers: number): boolean =>
    share === 0 || (tolerated > 0 && share <= tolerated + 3 * Math.sqrt((tolerated * (1 - tolerated)) / answers));

  const cut = (at: number, share: number): void => {
    const used = Math.max(MIN_RATE, takenMeter.perSecond());
    // Far above what is used the rate means nothing.
    const before = rate === undefined ? used : Math.min(rate, 2 * used);
    const accepted = acceptedMeter.perSecond() / (1 - tolerated);
    if (share > MAX_TOLERATED + CHANCE) trial = undefined;
    else if (trial !== undefined) {
      trial.judged = 0;
      trial.throttled = 0;
    } else if (share <= MAX_TOLERATED) {
      trial = { startedAt: at, rate: before, share, limit: rate, judged: 0, throttled: 0 };
    }
    // Where nothing at all is accepted, what was accepted before is still the best that is known.
    proven = share < 1 ? Math.max(Math.min(before, accepted), proven / 2) : Math.max(accepted, proven);
    setRate(Math.max(Math.min(before, accepted) * CUT_SHARE, before / 2));
    cutAt = at;
    quietSince = at;
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
      const enough = tolerated > 0 && trial === undefined ? MIN_JUDGED_TOLERATING : MIN_JUDGED;
      // Few answers of which some were accepted prove nothing yet; nothing but throttled ones do.
      const isEnough = judged >= enough ? elapsed >= MIN_JUDGED_MS : throttled === judged && elapsed >= MAX_JUDGED_MS;
      if (isEnough) judge(at);
    },
    giveBack(parts) {
      refill();
      if (rate !== undefined) tokens += parts;
      outstanding = Math.max(0, outstanding - parts);
    },
    rate: () => rate,
  };
}
