<?php

declare(strict_types=1);

namespace Postrider;

/** The clock of the machine. */
final class SystemClock implements Clock
{
    public function now(): float
    {
        return microtime(true);
    }

    public function sleep(float $seconds): void
    {
        usleep((int) max(0, round($seconds * 1e6)));
    }
}
