<?php

declare(strict_types=1);

namespace Postrider;

use Postrider\Http\CurlClient;
use Postrider\Http\CurlPool;

/**
 * Sends requests as they are cut from the input, a few at once.
 *
 * With another PSR-18 client than the one of this package they go out one after the other: PSR-18 knows nothing else.
 *
 * @internal
 */
final class SendAll
{
    private SendAllSummary $summary;
    /** @var array<int, SendAllWorker> */
    private array $workers = [];
    private ?\Throwable $failure = null;

    /** @param (callable(SendAllProgress): void)|null $onProgress */
    public function __construct(
        private readonly Core $core,
        private readonly ?float $timeout,
        private $onProgress,
    ) {
    }

    /** @param iterable<string|Model\Recipient> $numbers */
    public function run(RequestCutter $cutter, iterable $numbers, int $concurrency): SendAllSummary
    {
        if ($concurrency < 1) {
            throw new \InvalidArgumentException('concurrency takes 1 or more');
        }
        $this->summary = new SendAllSummary($cutter->givenBatchId);
        $requests = $cutter->requests($numbers);
        if ($this->core->http instanceof CurlClient) {
            $this->sendTogether($requests, $concurrency, $this->core->http);
        } else {
            foreach ($requests as $request) {
                $this->accept($request, $this->core->run($this->stepsOf($request)));
            }
        }
        return $this->summary;
    }

    /** @param \Generator<int, CutRequest> $requests */
    private function sendTogether(\Generator $requests, int $concurrency, CurlClient $http): void
    {
        $pool = new CurlPool();
        $hasMore = true;
        $isFirst = true;
        do {
            // Nothing is read ahead of what is under way; after a failure, nothing is begun.
            while ($hasMore && $this->failure === null && count($this->workers) < $concurrency) {
                $this->guard(function () use ($requests, &$isFirst, &$hasMore, $http, $pool): void {
                    $isFirst ? $requests->rewind() : $requests->next();
                    $isFirst = false;
                    $hasMore = $requests->valid();
                    if ($hasMore) {
                        $request = $requests->current();
                        $steps = $this->stepsOf($request);
                        $this->workers[$request->index] = new SendAllWorker($this->core, $http, $pool, $request, $steps);
                    }
                });
            }
            $this->advance($pool);
        } while ($this->workers !== [] || ($hasMore && $this->failure === null));
        if ($this->failure !== null) {
            throw $this->failure;
        }
    }

    private function advance(CurlPool $pool): void
    {
        $wait = null;
        $isSending = false;
        $count = count($this->workers);
        foreach ($this->workers as $index => $worker) {
            $this->guard(function () use ($worker, $index): void {
                // Whatever it ends with, it has ended.
                unset($this->workers[$index]);
                if ($worker->advance()) {
                    $this->accept($worker->request, $worker->result());
                } else {
                    $this->workers[$index] = $worker;
                }
            });
            $isSending = $isSending || $worker->isSending();
            $wait = $worker->pause() === null ? $wait : min($wait ?? INF, $worker->pause());
        }
        if (count($this->workers) < $count) {
            // There is room for another before anything is waited for.
            return;
        }
        if ($isSending) {
            $pool->advance($wait ?? 1.0);
        } elseif ($this->workers !== [] && $wait !== null) {
            $this->core->clock->sleep($wait);
        }
    }

    /** The others finish what they have begun, so that all is known that can be. */
    private function guard(callable $act): void
    {
        try {
            $act();
        } catch (\Throwable $error) {
            $this->failure ??= $error;
        }
    }

    /** @return \Generator<int, Call|float, Answer|null, SentTask> */
    private function stepsOf(CutRequest $request): \Generator
    {
        return (new SafeSend($this->core))->steps($request->fields, $this->timeout);
    }

    private function accept(CutRequest $request, SentTask $sent): void
    {
        $this->summary = $this->summary->with($request->batchId, $sent);
        if ($this->onProgress !== null) {
            $progress = new SendAllProgress($sent->task, $request->index, $sent->replayed, $this->summary);
            ($this->onProgress)($progress);
        }
    }
}
