package dev.postrider;

import java.time.Duration;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/**
 * How often and how fast a call is tried again.
 *
 * @param attempts the first included: 1 turns retries off
 * @param firstDelay before the second attempt; it doubles with each
 * @param maxDelay the longest pause
 * @param maxRetryAfter a longer {@code Retry-After} is handed to the caller instead of being waited for
 */
public record RetryPolicy(int attempts, Duration firstDelay, Duration maxDelay, Duration maxRetryAfter) {
    /** Five attempts, within about three seconds. */
    public static final RetryPolicy DEFAULT =
            new RetryPolicy(5, Duration.ofMillis(200), Duration.ofSeconds(10), Duration.ofSeconds(60));

    private static final double MAX_JITTER_MS = 500;

    /**
     * As many attempts as wanted, as fast as usual.
     *
     * @param attempts the first included
     * @return the policy
     */
    public static RetryPolicy ofAttempts(int attempts) {
        return new RetryPolicy(attempts, DEFAULT.firstDelay, DEFAULT.maxDelay, DEFAULT.maxRetryAfter);
    }

    /** The service certainly did not carry the request out. */
    static boolean isCertainlyNotDone(PostriderException error) {
        if (error instanceof ProblemException problem) {
            return problem.isFromService() && problem.status() != 500 && !problem.isOutcomeUnknown();
        }
        return error instanceof ConnectionException lost && lost.reason() == ConnectionException.Reason.UNREACHABLE;
    }

    private static boolean isTransient(PostriderException error) {
        if (error instanceof ProblemException problem) return problem.status() == 429 || problem.status() >= 500;
        return error instanceof ConnectionException lost && lost.reason() != ConnectionException.Reason.UNREADABLE;
    }

    /** The pause before the next attempt; empty where another is of no use or not safe. */
    Optional<Duration> delayAfter(PostriderException error, int attempt, boolean isRepeatable, DoubleSupplier random) {
        if (attempt >= attempts || !isTransient(error)) return Optional.empty();
        if (!isRepeatable && !isCertainlyNotDone(error)) return Optional.empty();
        // Jitter over the upper half: clients that failed together must not come back together.
        double ceilingMs = Math.min(maxDelay.toMillis(), firstDelay.toMillis() * Math.pow(2, attempt - 1));
        double backoffMs = ceilingMs * (0.5 + random.getAsDouble() / 2);
        Optional<Duration> asked = error instanceof ProblemException problem ? problem.retryAfter() : Optional.empty();
        if (asked.isEmpty()) return Optional.of(ofMillis(backoffMs));
        if (asked.get().compareTo(maxRetryAfter) > 0) return Optional.empty();
        // Never earlier than requested.
        return Optional.of(asked.get().plus(ofMillis(random.getAsDouble() * Math.min(backoffMs, MAX_JITTER_MS))));
    }

    private static Duration ofMillis(double millis) {
        return Duration.ofNanos(Math.round(millis * 1_000_000));
    }
}
