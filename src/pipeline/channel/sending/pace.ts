// The pace of a channel: its state, and the transitions between steady, cut, climbing and on trial.
//
//   steady ──too many throttled──▶ cut ──an answer that is accepted──▶ climbing ──the limit is reached──▶ steady
//                                   └──few throttled──▶ trial ──▶ climbing, or back to the rate before
//
// Some carriers throttle a share of the parts at any rate: a lower rate does not help. A trial detects this: the rate drops, and if the
// throttled share stays the same, that share is tolerated and the rate is restored.

import { createRateMeter, type RateMeter } from './rate-meter.js';

/** Answers are judged in samples of at least this many, unless they arrive slowly. */
const MIN_SAMPLE = 20;
const MIN_SAMPLE_MS = 100;
const MAX_SAMPLE_MS = 1000;
/** Larger samples while a share is tolerated, so that noise is not mistaken for a limit. */
const MIN_SAMPLE_TOLERATING = 60;
/** Answers to parts that were sent before a cut say nothing about the new rate. They are ignored for at most this long. */
const MAX_STALE_MS = 1000;
const MIN_RATE = 1;
/** The token bucket holds this much of a second, at least one part. */
const BURST_SECONDS = 0.1;
const CLIMB_INTERVAL_MS = 100;
/** Per climb, of the rate that was accepted before. */
const RECOVERY_SHARE = 0.1;
/** Per climb, of the present rate, above what was accepted; it doubles every two seconds without a cut. */
const PROBE_SHARE = 0.003;
const MAX_PROBE_SHARE = 0.05;
/** A rate this high counts as no limit. */
const UNLIMITED_RATE = 100_000;
/** A larger throttled share always means a limit. */
const MAX_TOLERATED = 0.35;
/** How far the share in a small sample may exceed the true share. */
const CHANCE = 0.25;
/** How quickly the tolerated share follows the observed share. */
const TOLERANCE_STEP = 0.05;
/** Of the accepted rate: a little less, so that an upstream with a limit stops throttling. */
const CUT_SHARE = 0.93;
/** An upstream that throttles at most `MAX_TOLERATED` has no limit below this share of the rate. */
const TRIAL_FLOOR = 0.5;
const MAX_TRIAL_MS = 5000;

export interface Pace {
  /** As configured; undefined: none. */
  readonly limit: number | undefined;
  readonly taken: RateMeter;
  readonly accepted: RateMeter;
  /** Parts per second; undefined: no limit. */
  rate: number | undefined;
  tokens: number;
  filledAt: number;
  /** Climbing is quick up to this rate. */
  provenRate: number;
  cutAt: number;
  climbedAt: number;
  /** No cut since; the longer, the faster the rate climbs. */
  calmSince: number;
  hasAcceptedSinceCut: boolean;
  /** Parts that were taken and not answered. */
  outstanding: number;
  /** Of those, the parts that were sent before the last cut. */
  stale: number;
  sample: Sample;
  /** The throttled share that does not depend on the rate. */
  tolerated: number;
  trial: Trial | undefined;
}

/** Answers at the present rate. */
interface Sample {
  since: number;
  answers: number;
  throttled: number;
}

/** The rate drops step by step: does the throttled share drop with it? */
interface Trial {
  readonly startedAt: number;
  /** The rate in use and the throttled share before the trial. */
  readonly usedRate: number;
  readonly share: number;
  /** The rate that is restored if the share does not depend on it. */
  readonly rateBefore: number | undefined;
  /** Answers at the present rate. */
  answers: number;
  throttled: number;
}

export function createPace(limit: number | undefined, now: () => number): Pace {
  const at = now();
  return {
    limit,
    taken: createRateMeter(now),
    accepted: createRateMeter(now),
    rate: limit,
    tokens: 1,
    filledAt: at,
    provenRate: 0,
    cutAt: at,
    climbedAt: at,
    calmSince: at,
    hasAcceptedSinceCut: true,
    outstanding: 0,
    stale: 0,
    sample: { since: at, answers: 0, throttled: 0 },
    tolerated: 0,
    trial: undefined,
  };
}

export function refill(pace: Pace, at: number): void {
  const { rate } = pace;
  if (rate !== undefined) {
    pace.tokens = Math.min(burstAt(rate), pace.tokens + ((at - pace.filledAt) * rate) / 1000);
  }
  pace.filledAt = at;
}

export function takeTokens(pace: Pace, wanted: number): number {
  const taken = pace.rate === undefined ? wanted : Math.min(wanted, Math.floor(pace.tokens));
  if (pace.rate !== undefined) pace.tokens -= taken;
  pace.taken.count(taken);
  pace.outstanding += taken;
  return taken;
}

export function addTokens(pace: Pace, parts: number): void {
  if (pace.rate !== undefined) pace.tokens += parts;
  pace.outstanding = Math.max(0, pace.outstanding - parts);
}

/** Raises the rate for the time since the last climb. */
export function climb(pace: Pace, at: number): void {
  const climbs = Math.floor((at - pace.climbedAt) / CLIMB_INTERVAL_MS);
  if (climbs <= 0) return;
  pace.climbedAt += climbs * CLIMB_INTERVAL_MS;
  const { rate, limit, provenRate } = pace;
  // Until something is accepted the right rate is unknown, and a trial needs a constant rate.
  if (rate === undefined || rate === limit || !pace.hasAcceptedSinceCut || pace.trial !== undefined) return;
  if (rate < provenRate) setRate(pace, Math.min(provenRate, rate + climbs * provenRate * RECOVERY_SHARE));
  else {
    const calmSeconds = (at - pace.calmSince) / 1000;
    const probe = Math.min(MAX_PROBE_SHARE, PROBE_SHARE * 2 ** (calmSeconds / 2));
    setRate(pace, rate * (1 + probe) ** Math.min(climbs, 100));
  }
  if (limit === undefined && (pace.rate ?? 0) >= UNLIMITED_RATE) pace.rate = undefined;
}

/** Counts an answer into the sample, unless its part was sent before the last cut. */
export function countAnswer(pace: Pace, isThrottled: boolean, at: number): void {
  pace.outstanding = Math.max(0, pace.outstanding - 1);
  if (!isThrottled) pace.accepted.count(1);
  if (pace.stale > 0) {
    pace.stale = at - pace.cutAt >= MAX_STALE_MS ? 0 : pace.stale - 1;
    pace.sample.since = at;
    return;
  }
  if (!isThrottled) pace.hasAcceptedSinceCut = true;
  pace.sample.answers += 1;
  pace.sample.throttled += isThrottled ? 1 : 0;
}

export function isSampleComplete({ sample, tolerated, trial }: Pace, at: number): boolean {
  const { answers, throttled, since } = sample;
  const elapsed = at - since;
  const enough = tolerated > 0 && trial === undefined ? MIN_SAMPLE_TOLERATING : MIN_SAMPLE;
  if (answers >= enough) return elapsed >= MIN_SAMPLE_MS;
  // A small sample is complete only if all of it was throttled.
  return answers > 0 && throttled === answers && elapsed >= MAX_SAMPLE_MS;
}

/** Ends the sample: continues the trial, tolerates the throttled share, or cuts the rate. */
export function judgeSample(pace: Pace, at: number): void {
  const { answers, throttled } = pace.sample;
  const share = throttled / answers;
  pace.sample = { since: at, answers: 0, throttled: 0 };
  if (pace.trial !== undefined && share <= MAX_TOLERATED + CHANCE) {
    pace.trial.answers += answers;
    pace.trial.throttled += throttled;
    judgeTrial(pace, pace.trial, at);
  } else if (isTolerable(pace, share, answers)) {
    pace.tolerated = Math.min(MAX_TOLERATED, pace.tolerated + (share - pace.tolerated) * TOLERANCE_STEP);
  } else cut(pace, share, at);
}

/** Within the tolerated share plus three standard deviations of a sample of this size. */
function isTolerable({ tolerated }: Pace, share: number, answers: number): boolean {
  if (share === 0) return true;
  return tolerated > 0 && share <= tolerated + 3 * Math.sqrt((tolerated * (1 - tolerated)) / answers);
}

/** Ends the trial, or cuts the rate further. */
function judgeTrial(pace: Pace, trial: Trial, at: number): void {
  const isTooLong = at - trial.startedAt > MAX_TRIAL_MS;
  if (trial.answers < Math.max(2 * MIN_SAMPLE, 4 / trial.share) && !isTooLong) return;
  const share = trial.throttled / trial.answers;
  // The share dropped with the rate, or there is no clear result: the rate stays low and climbs from here.
  if (share < trial.share / 2 || isTooLong) endTrial(pace, share);
  else if ((pace.rate ?? 0) <= trial.usedRate * TRIAL_FLOOR && share <= MAX_TOLERATED) {
    // The share stayed at half the rate, so it does not depend on the rate. Restores it, and climbs as quickly as possible.
    endTrial(pace, share);
    pace.rate = trial.rateBefore;
    pace.calmSince = Number.NEGATIVE_INFINITY;
  } else cut(pace, share, at);
}

function endTrial(pace: Pace, tolerated: number): void {
  pace.trial = undefined;
  pace.tolerated = tolerated;
}

/** Drops the rate to a little less than what was accepted, at most by half. */
function cut(pace: Pace, share: number, at: number): void {
  const used = Math.max(MIN_RATE, pace.taken.perSecond());
  // A rate far above the use says nothing about the carrier.
  const before = pace.rate === undefined ? used : Math.min(pace.rate, 2 * used);
  const accepted = pace.accepted.perSecond() / (1 - pace.tolerated);
  pace.trial = nextTrial(pace, before, share, at);
  // If nothing was accepted, the rate that was accepted before is the best estimate.
  pace.provenRate =
    share < 1 ? Math.max(Math.min(before, accepted), pace.provenRate / 2) : Math.max(accepted, pace.provenRate);
  setRate(pace, Math.max(Math.min(before, accepted) * CUT_SHARE, before / 2));
  pace.cutAt = at;
  pace.calmSince = at;
  pace.climbedAt = at;
  pace.hasAcceptedSinceCut = false;
  pace.stale = pace.outstanding;
  pace.tokens = Math.min(pace.tokens, burstAt(pace.rate ?? 0));
  pace.filledAt = at;
}

/** A cut within a trial restarts its count at the lower rate. A cut for a small share starts a trial. */
function nextTrial({ trial, rate }: Pace, before: number, share: number, at: number): Trial | undefined {
  if (share > MAX_TOLERATED + CHANCE) return undefined;
  if (trial !== undefined) return { ...trial, answers: 0, throttled: 0 };
  if (share > MAX_TOLERATED) return undefined;
  return { startedAt: at, usedRate: before, share, rateBefore: rate, answers: 0, throttled: 0 };
}

function setRate(pace: Pace, rate: number): void {
  pace.rate = Math.max(MIN_RATE, Math.min(rate, pace.limit ?? Number.POSITIVE_INFINITY));
}

function burstAt(rate: number): number {
  return Math.max(1, rate * BURST_SECONDS);
}
