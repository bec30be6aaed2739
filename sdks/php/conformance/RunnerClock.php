<?php

declare(strict_types=1);

namespace Postrider\Conformance;

use Postrider\Clock;

/** Notes what it is asked to sleep, and does not sleep unless it is to. */
final class RunnerClock implements Clock
{
    /** @var list<float> */
    public array $sleeps = [];
    private float $offset;
    private readonly bool $isVirtual;

    /** @param array{offset_ms?: int|float, sleep?: string} $options */
    public function __construct(array $options)
    {
        $this->offset = ($options['offset_ms'] ?? 0) / 1000;
        $this->isVirtual = ($options['sleep'] ?? 'virtual') === 'virtual';
    }

    public function now(): float
    {
        return round(microtime(true) + $this->offset, 3);
    }

    public function sleep(float $seconds): void
    {
        $this->sleeps[] = round($seconds * 1000, 6);
        if ($this->isVirtual) {
            $this->offset += $seconds;
        } else {
            usleep((int) round($seconds * 1e6));
        }
    }
}
