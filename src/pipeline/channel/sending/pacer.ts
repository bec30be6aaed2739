// Limits the rate of a channel: a token bucket in parts per second, whose rate follows AIMD. When the carrier throttles, the rate drops
// to a little less than the carrier just accepted, at most by half; then it climbs, quickly up to the rate that was accepted before,
// carefully beyond it.
//
// Some carriers throttle a share of the parts at any rate, and a lower rate does not help. That share is what is still throttled after a
// drop to the accepted rate: it is tolerated from then on.

export interface Pacer {
  /** How many of `wanted` parts may be sent now. They count as sent. */
  take(wanted: number): number;
  /** Milliseconds until the next part may be sent. */
  delayMs(): number;
  /** The channel answered a part that was taken, or returned it unsent. Called once for each. */
  answered(isThrottled: boolean): void;
  /** These parts were taken and are not sent: they no longer count as sent. */
  refund(parts: number): void;
  /** The current limit in parts per second; undefined if there is none. */
  rate(): number | undefined;
}

/** The token bucket holds this much of a second, at least one part. */
const BURST_SECONDS = 0.1;
const MIN_RATE = 1;
/** A rate this high counts as no limit. */
const UNLIMITED_RATE = 100_000;
/** Answers are judged in samples of at least this many. Where all are throttled, fewer say enough, and on a slow channel the first. */
const SAMPLE_ANSWERS = 50;
const THROTTLED_ANSWERS = 10;
const MIN_SAMPLE_MS = 100;
const MAX_SAMPLE_MS = 1000;
/** Answers to parts that were sent before a drop say nothing about the new rate. They are ignored for at most this long. */
const MAX_STALE_MS = 1000;
/** Of the accepted rate: a little less, so that the carrier stops throttling. */
const DROP_SHARE = 0.95;
/** A throttled share up to this is no reason to drop, and up to twice the tolerated share beyond it. */
const FREE_SHARE = 0.05;
/** A larger throttled share is always a reason to drop. */
const MAX_SHARE = 0.5;
const MAX_TOLERATED = 0.35;
/** How quickly the tolerated share follows a lower one. */
const TOLERANCE_STEP = 1 / 8;
/** Of the rate, per second and for each second since the drop. */
const CLIMB_SHARE = 0.05;

/** Without `limit`, there is none until the carrier throttles. */
export function createPacer(limit: number | undefined, now: () => number): Pacer {
  const accepted = createRateMeter(now);
  let rate = limit;
  let tokens = 1;
  let updatedAt = now();
  /** Parts that were taken and not answered, and those among them that were sent before the last drop. */
  let outstanding = 0;
  let stale = 0;
  let droppedAt = updatedAt;
  let hasAcceptedSinceDrop = true;
  /** Climbing is quick up to this rate. */
  let provenRate = 0;
  let tolerated = 0;
  /** The present sample shows the share to tolerate. */
  let isFirstSample = false;
  let sample = { since: updatedAt, answers: 0, throttled: 0 };

  /** Raises the rate and fills the bucket for the time since the last call. */
  const update = (): void => {
    const at = now();
    const seconds = (at - updatedAt) / 1000;
    updatedAt = at;
    if (rate === undefined) return;
    tokens = Math.min(Math.max(1, rate * BURST_SECONDS), tokens + rate * seconds);
    // Until something is accepted, the right rate is unknown.
    if (rate === limit || !hasAcceptedSinceDrop) return;
    const step = CLIMB_SHARE * ((at - droppedAt) / 1000) * seconds;
    const climbed = rate < provenRate ? Math.min(provenRate, rate + provenRate * seconds) : rate * (1 + step);
    rate = climbed >= UNLIMITED_RATE ? limit : Math.min(climbed, limit ?? climbed);
  };

  const drop = (share: number, used: number): void => {
    // A rate far above the use says nothing about the carrier.
    const before = Math.min(rate ?? used, 2 * used);
    const best = Math.min(before, accepted.perSecond()) * DROP_SHARE;
    rate = Math.max(best, before / 2, MIN_RATE);
    // While nothing is accepted, the rate that was accepted before is the best estimate.
    provenRate = Math.max(rate, share < 1 ? provenRate / 2 : provenRate);
    tokens = Math.min(tokens, 1);
    droppedAt = now();
    stale = outstanding;
    hasAcceptedSinceDrop = false;
    isFirstSample = rate === best;
  };

  const judge = ({ since, answers, throttled }: typeof sample): void => {
    const share = throttled / answers;
    const isDropDue = share > (isFirstSample ? MAX_TOLERATED : Math.min(MAX_SHARE, FREE_SHARE + 2 * tolerated));
    if (isDropDue) drop(share, (answers * 1000) / (now() - since));
    else {
      tolerated = isFirstSample
        ? Math.max(share, tolerated)
        : tolerated + Math.min(0, share - tolerated) * TOLERANCE_STEP;
      isFirstSample = false;
    }
  };

  return {
    take(wanted) {
      update();
      const taken = rate === undefined ? wanted : Math.min(wanted, Math.floor(tokens));
      if (rate !== undefined) tokens -= taken;
      outstanding += taken;
      return taken;
    },
    delayMs() {
      update();
      return rate === undefined || tokens >= 1 ? 0 : Math.ceil(((1 - tokens) * 1000) / rate);
    },
    answered(isThrottled) {
      const at = now();
      outstanding -= 1;
      if (!isThrottled) accepted.count();
      if (stale > 0) {
        stale = at - droppedAt < MAX_STALE_MS ? stale - 1 : 0;
        sample.since = at;
        return;
      }
      if (!isThrottled) hasAcceptedSinceDrop = true;
      sample.answers += 1;
      sample.throttled += isThrottled ? 1 : 0;
      const elapsed = at - sample.since;
      const isThrottledWhole = sample.throttled === sample.answers;
      const isLarge =
        sample.answers >= (isThrottledWhole ? THROTTLED_ANSWERS : SAMPLE_ANSWERS) && elapsed >= MIN_SAMPLE_MS;
      if (!isLarge && (elapsed < MAX_SAMPLE_MS || !isThrottledWhole)) return;
      const complete = sample;
      sample = { since: at, answers: 0, throttled: 0 };
      judge(complete);
    },
    refund(parts) {
      update();
      tokens += parts;
      outstanding -= parts;
    },
    rate: () => rate,
  };
}

const SLOT_MS = 100;
const SLOTS = 10;

/** Counts events in slots; `perSecond` is over the last second, or since the events began. */
function createRateMeter(now: () => number) {
  const slots = new Float64Array(SLOTS);
  let slot = Math.floor(now() / SLOT_MS);
  let since = now();

  /** Empties the slots that time has passed over. */
  const advance = (at: number): void => {
    const current = Math.floor(at / SLOT_MS);
    if (current - slot >= SLOTS) {
      slots.fill(0);
      since = at;
    } else {
      for (let passed = slot + 1; passed <= current; passed++) slots[passed % SLOTS] = 0;
    }
    slot = current;
  };

  return {
    count() {
      advance(now());
      slots[slot % SLOTS] = (slots[slot % SLOTS] ?? 0) + 1;
    },
    perSecond() {
      const at = now();
      advance(at);
      const oldest = (slot - SLOTS + 1) * SLOT_MS;
      // In less time than a slot takes, a handful of events would pass for a high rate.
      const observedMs = Math.max(SLOT_MS, at - Math.max(since, oldest));
      return (slots.reduce((sum, count) => sum + count, 0) * 1000) / observedMs;
    },
  };
}
