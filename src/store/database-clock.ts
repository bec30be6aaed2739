// The database's clock as record ids use it. Ids of a customer only rise, so a clock that jumps forward and is set back would
// leave record times standing still until real time has caught up. A forward jump is therefore believed only once it has
// lasted; until then the time continues from before the jump, by this process's monotonic clock.
//
// That clock does not count while the machine stands still: suspended, or migrated to another host. A jump to the time that the machine's
// own clock shows is therefore believed at once: expired messages and closed windows must be seen.

/** Machines of one cluster differ by less, and so does a clock that is being adjusted. */
const MAX_STEP_MS = 60_000;
/** A clock that was wrong before the jump and is right now must win in the end. */
const BELIEVED_AFTER_MS = 600_000;

export interface DatabaseClock {
  /** The time to use for what the database's clock has just shown. */
  read(shown: Date): Date;
  /** The time now, as far as this process knows: by its own clock until it has read the database's. */
  now(): number;
  /** Called once for each jump, with how far it went. */
  onJump: ((aheadMs: number) => void) | undefined;
}

export function createDatabaseClock(monotonicNow: () => number, wallNow = () => Date.now()): DatabaseClock {
  /** Milliseconds since the epoch at the zero of the monotonic clock. */
  let origin: number | undefined;
  let jumpedAt: number | undefined;
  const clock: DatabaseClock = {
    onJump: undefined,
    now: () => (origin === undefined ? Date.now() : Math.floor(origin + monotonicNow())),
    read(shown) {
      const now = monotonicNow();
      const expected = origin === undefined ? shown.getTime() : origin + now;
      const aheadMs = shown.getTime() - expected;
      const isOurTime = Math.abs(wallNow() - shown.getTime()) <= MAX_STEP_MS;
      const hasLasted = jumpedAt !== undefined && now - jumpedAt >= BELIEVED_AFTER_MS;
      if (aheadMs <= MAX_STEP_MS || isOurTime || hasLasted) {
        origin = shown.getTime() - now;
        jumpedAt = undefined;
        return shown;
      }
      if (jumpedAt === undefined) {
        jumpedAt = now;
        clock.onJump?.(aheadMs);
      }
      return new Date(Math.floor(expected));
    },
  };
  return clock;
}

/** One for the process: it has one database, and every transaction reads its clock. */
export const databaseClock = createDatabaseClock(() => performance.now());
