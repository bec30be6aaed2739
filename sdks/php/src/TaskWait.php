<?php

declare(strict_types=1);

namespace Postrider;

use Postrider\Model\TaskDetail;

/**
 * Follows a task until it has finished, or waits for its caller.
 *
 * @internal
 */
final class TaskWait
{
    private const FINAL_STAGES = ['completed', 'failed', 'cancelled'];
    private const FIRST_POLL = 0.15;
    private const MAX_POLL = 5.0;
    /** Automatic steps follow at once; one that does not follow within this time needs a call. */
    private const GRACE = 3.0;

    public function __construct(private readonly Core $core)
    {
    }

    /**
     * Polls with pauses that grow while nothing changes.
     *
     * @return \Generator<int, Call|float, Answer|null, TaskDetail>
     */
    public function steps(string $taskNo, ?float $timeout, ?callable $until, ?callable $onProgress): \Generator
    {
        $target = Call::path('/openapi/v1/messages/tasks/%s/', $taskNo);
        $clock = $this->core->clock;
        $started = $seenAt = $clock->now();
        $task = $seen = null;
        $pause = self::FIRST_POLL;
        while (true) {
            $left = $timeout === null ? null : $timeout - ($clock->now() - $started);
            if ($left !== null && $left <= 0) {
                throw new WaitTimeoutException($task, $timeout);
            }
            $limit = $left === null ? $this->core->timeout : min($this->core->timeout, $left);
            try {
                $answer = yield from $this->core->call(new Call('GET', $target, timeout: $limit), true);
            } catch (ConnectionException $error) {
                if ($timeout !== null && $clock->now() - $started >= $timeout) {
                    throw new WaitTimeoutException($task, $timeout, $error);
                }
                throw $error;
            }
            $task = Read::answer(TaskDetail::class, $answer->value);
            $hasChanged = $answer->value !== $seen;
            $seen = $answer->value;
            $pause = $hasChanged ? self::FIRST_POLL : min(self::MAX_POLL, $pause * 1.5);
            if ($hasChanged) {
                $seenAt = $clock->now();
                $onProgress === null || $onProgress($task);
            }
            if (in_array($task->stage, self::FINAL_STAGES, true) || ($until !== null && $until($task))) {
                return new TaskDetail(['waits_for' => null] + $seen);
            }
            [$waitsFor, $isCertain] = self::findCallerWait($task);
            // With `until` the caller has said what the wait is for; a task may still get there.
            if ($waitsFor !== null && $until === null) {
                if ($isCertain || $clock->now() - $seenAt >= self::GRACE) {
                    return new TaskDetail(['waits_for' => $waitsFor] + $seen);
                }
            }
            yield $left === null ? $pause : max(0.0, min($pause, $left));
        }
    }

    /** @return array{?string, bool} What a task waits for that needs an action, and whether that is certain. */
    private static function findCallerWait(TaskDetail $task): array
    {
        return match (true) {
            $task->waitsFor === 'resume', $task->waitsFor === 'limit' => [$task->waitsFor, true],
            // It goes on by itself at its time.
            $task->waitsFor === 'send_at', $task->waitsFor === 'window' => [null, false],
            $task->accountingState === 'insufficient_funds' => ['funds', true],
            $task->stage === 'queued' => [$task->autoPrepare ? null : 'prepare', false],
            $task->stage !== 'prepared' => [null, false],
            $task->accountingState === 'none' => ['freeze', !$task->autoFreeze],
            default => ['submit', !$task->autoSubmit],
        };
    }
}
