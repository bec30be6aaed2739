<?php

declare(strict_types=1);

namespace Postrider;

use Postrider\Model\TaskDetail;

/** The time that was given to a wait is over; the task goes on. `task` is as it was last seen. */
final class WaitTimeoutException extends PostriderException
{
    public function __construct(
        public readonly ?TaskDetail $task,
        float $timeout,
        ?\Throwable $previous = null,
    ) {
        $seen = $task === null ? 'No answer about the task' : "$task->taskNo is $task->stage";
        parent::__construct("$seen after $timeout s; what was accepted goes on by itself", 0, $previous);
    }
}
