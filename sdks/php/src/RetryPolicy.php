<?php

declare(strict_types=1);

namespace Postrider;

/** How often and how fast a call is tried again; times in seconds. */
final class RetryPolicy
{
    /**
     * @param int $attempts The first time included: 1 turns retries off.
     * @param float $maxRetryAfter A longer `Retry-After` is handed to the caller instead of being waited for.
     */
    public function __construct(
        public readonly int $attempts = 5,
        public readonly float $firstDelay = 0.2,
        public readonly float $maxDelay = 10.0,
        public readonly float $maxRetryAfter = 60.0,
    ) {
    }

    /** Whether the service certainly did not carry the request out. */
    public static function certainlyNotDone(PostriderException $error): bool
    {
        if ($error instanceof ProblemException) {
            return $error->fromService && $error->status !== 500 && !$error->outcomeUnknown;
        }
        return $error instanceof ConnectionException && $error->reason === 'unreachable';
    }

    /**
     * The pause before the next attempt; null where another is of no use or not safe.
     *
     * @param callable(): float $random
     */
    public function findDelay(PostriderException $error, int $attempt, bool $isRepeatable, callable $random): ?float
    {
        if ($attempt >= $this->attempts || !self::isTransient($error)) {
            return null;
        }
        if (!$isRepeatable && !self::certainlyNotDone($error)) {
            return null;
        }
        // Jitter over the upper half: clients that failed together must not come back together.
        $ceiling = min($this->maxDelay, $this->firstDelay * 2 ** ($attempt - 1));
        $backoff = $ceiling * (0.5 + $random() / 2);
        $asked = $error instanceof ProblemException ? $error->retryAfter : null;
        if ($asked === null) {
            return $backoff;
        }
        // Never earlier than requested.
        return $asked > $this->maxRetryAfter ? null : $asked + $random() * min($backoff, 0.5);
    }

    private static function isTransient(PostriderException $error): bool
    {
        if ($error instanceof ProblemException) {
            return $error->status === 429 || $error->status >= 500;
        }
        return $error instanceof ConnectionException && $error->reason !== 'unreadable';
    }
}
