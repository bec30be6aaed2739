<?php

declare(strict_types=1);

namespace Postrider;

use Postrider\Http\CurlClient;
use Postrider\Http\CurlExchange;
use Postrider\Http\CurlPool;

/**
 * One send that is under way beside others.
 *
 * @internal
 */
final class SendAllWorker
{
    private ?CurlExchange $exchange = null;
    /** When a pause is over, by the clock of the client. */
    private ?float $wakeAt = null;

    /** @param \Generator<int, Call|float, Answer|null, SentTask> $steps */
    public function __construct(
        private readonly Core $core,
        private readonly CurlClient $http,
        private readonly CurlPool $pool,
        public readonly CutRequest $request,
        private readonly \Generator $steps,
    ) {
    }

    /** Goes as far as it can without waiting; returns whether it has ended. */
    public function advance(): bool
    {
        while ($this->steps->valid()) {
            $step = $this->steps->current();
            $hasNext = $step instanceof Call ? $this->advanceCall($step) : $this->advancePause($step);
            if (!$hasNext) {
                return false;
            }
        }
        return true;
    }

    public function result(): SentTask
    {
        return $this->steps->getReturn();
    }

    public function isSending(): bool
    {
        return $this->exchange !== null;
    }

    /** The seconds that are left of a pause. */
    public function pause(): ?float
    {
        return $this->wakeAt === null ? null : max(0.0, $this->wakeAt - $this->core->clock->now());
    }

    private function advanceCall(Call $call): bool
    {
        $seconds = $this->core->timeoutOf($call);
        $this->exchange ??= $this->http->start($this->core->request($call), $this->pool, $seconds);
        if (!$this->exchange->isDone()) {
            return false;
        }
        $exchange = $this->exchange;
        $this->exchange = null;
        try {
            $answer = $this->core->read($call, $exchange->response(...));
        } catch (PostriderException $error) {
            $this->steps->throw($error);
            return true;
        }
        $this->steps->send($answer);
        return true;
    }

    private function advancePause(float $seconds): bool
    {
        $this->wakeAt ??= $this->core->clock->now() + $seconds;
        // What a sleep has rounded off does not count.
        if ($this->pause() > 1e-4) {
            return false;
        }
        $this->wakeAt = null;
        $this->steps->next();
        return true;
    }
}
