<?php

declare(strict_types=1);

namespace Postrider;

/** What has been accepted so far. */
final class SendAllSummary
{
    /**
     * @param ?string $batchId Null where there were no numbers.
     * @param int $tasks Accepted tasks; `numbers` are those in them.
     * @param int $replayed How many of the tasks had been accepted before.
     */
    public function __construct(
        public readonly ?string $batchId,
        public readonly int $tasks = 0,
        public readonly int $numbers = 0,
        public readonly int $replayed = 0,
    ) {
    }

    /** The sum with one task more. */
    public function with(string $batchId, SentTask $sent): self
    {
        return new self(
            $batchId,
            $this->tasks + 1,
            $this->numbers + $sent->task->counts->total,
            $this->replayed + ($sent->replayed ? 1 : 0),
        );
    }
}
