<?php

declare(strict_types=1);

namespace Postrider;

use Postrider\Model\Task;

/** A task, and whether it existed before this call: the same had been accepted earlier. */
final class SentTask
{
    public function __construct(public readonly Task $task, public readonly bool $replayed)
    {
    }
}
