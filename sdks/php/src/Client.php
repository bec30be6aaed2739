<?php

declare(strict_types=1);

namespace Postrider;

use Postrider\Model\Task;
use Postrider\Model\TaskDetail;

/** A client of the customer API. */
final class Client extends CustomerCalls
{
    /** The task of one business request of yours; null when it was never accepted. */
    public function findTask(string $clientRequestId, ?float $timeout = null): ?Task
    {
        $listing = $this->tasks(clientRequestId: $clientRequestId, pageSize: 1, timeout: $timeout);
        return $listing->page()->items[0] ?? null;
    }

    /**
     * Follows a task until it has finished, or waits for its caller.
     *
     * `waitsFor` then says for what: `prepare`, `freeze`, `submit`, `funds`, `limit` or `resume`; it is null when the task
     * has finished, or `until` ended the wait. `timeout` bounds the whole wait, in seconds: a WaitTimeoutException has the
     * task as it was last seen.
     *
     * @param (callable(TaskDetail): bool)|null $until
     * @param (callable(TaskDetail): void)|null $onProgress
     */
    public function waitForTask(
        string $taskNo,
        ?float $timeout = null,
        ?callable $until = null,
        ?callable $onProgress = null,
    ): TaskDetail {
        return $this->core->run((new TaskWait($this->core))->steps($taskNo, $timeout, $until, $onProgress));
    }

    /**
     * Calls anything that this client has no method for, and returns the JSON of the answer.
     *
     * A GET is retried, anything else only where the first attempt certainly did nothing.
     *
     * @param array<string, mixed> $query
     * @param array<string, mixed>|null $body
     */
    public function request(
        string $method,
        string $path,
        array $query = [],
        ?array $body = null,
        ?float $timeout = null,
    ): mixed {
        $call = Call::make($method, $path, $query, $body, $timeout);
        return $this->core->run($this->core->call($call, $method === 'GET'))->value;
    }
}
