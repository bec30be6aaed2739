<?php

declare(strict_types=1);

namespace Postrider;

/** The time of a Client, replaceable so that tests need not wait. */
interface Clock
{
    /** The seconds since the epoch. */
    public function now(): float;

    public function sleep(float $seconds): void;
}
