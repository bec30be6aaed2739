<?php

declare(strict_types=1);

namespace Postrider;

use Postrider\Model\Task;

/** The task that was just accepted, the position of its request from 1, and the sums so far. */
final class SendAllProgress
{
    public function __construct(
        public readonly Task $task,
        public readonly int $index,
        public readonly bool $replayed,
        public readonly SendAllSummary $summary,
    ) {
    }
}
