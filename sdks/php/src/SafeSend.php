<?php

declare(strict_types=1);

namespace Postrider;

use Postrider\Model\Task;

/**
 * Sends once, whatever the network does.
 *
 * After a failure that leaves open whether the request arrived, the task list is asked for its id before anything is sent
 * again, and what is sent again is the same request under the same id.
 *
 * @internal
 */
final class SafeSend
{
    private const SEND_PATH = '/openapi/v1/messages/send/';
    private const TASKS_PATH = '/openapi/v1/messages/tasks/';
    /** Clocks of two machines of one service, and the whole seconds of `Date`, differ by less than this. */
    private const CLOCK_TOLERANCE = 5.0;

    public function __construct(private readonly Core $core)
    {
    }

    /**
     * @param array<string, mixed> $request
     * @return \Generator<int, Call|float, Answer|null, SentTask>
     */
    public function steps(array $request, ?float $timeout): \Generator
    {
        $idIsOurs = !isset($request['client_request_id']);
        $request['client_request_id'] ??= self::makeId();
        $id = $request['client_request_id'];
        $call = Call::make('POST', self::SEND_PATH, body: $request, timeout: $timeout);
        $started = $this->core->clock->now();
        $isUncertain = false;
        for ($count = 1;; $count++) {
            try {
                if ($isUncertain) {
                    $original = yield from $this->findOriginal($id, $idIsOurs, $started, $timeout);
                    if ($original !== null) {
                        return new SentTask($original, false);
                    }
                }
                $answer = yield from $this->core->exchange($call);
                // A replay of a lost attempt under our own id is news to the caller.
                $isReplay = $answer->header('Idempotent-Replayed') === 'true' && !($isUncertain && $idIsOurs);
                return new SentTask(Read::answer(Task::class, $answer->value), $isReplay);
            } catch (PostriderException $error) {
                $hasFailed = $error instanceof ProblemException && $error->status >= 500;
                $isUncertain = $isUncertain || $hasFailed || !RetryPolicy::certainlyNotDone($error);
                $delay = $this->core->retry->findDelay($error, $count, true, $this->core->random);
                if ($delay === null) {
                    throw $isUncertain && $error instanceof ConnectionException
                        ? new ConnectionException($error->reason, $error->getMessage(), $id, $error)
                        : $error;
                }
                yield $delay;
            }
        }
    }

    /** @return \Generator<int, Call|float, Answer|null, Task|null> */
    private function findOriginal(string $id, bool $idIsOurs, float $started, ?float $timeout): \Generator
    {
        $query = ['client_request_id' => $id, 'page_size' => 1];
        $answer = yield from $this->core->exchange(Call::make('GET', self::TASKS_PATH, $query, timeout: $timeout));
        $tasks = Page::read(Task::class, $answer->value)->items;
        if ($tasks === []) {
            return null;
        }
        // An id that the caller chose may name an older task of another content. Only the service can tell: unless the
        // task was plainly made by this call, the same request goes out again.
        $age = self::findAge($answer, $tasks[0]);
        $spent = $this->core->clock->now() - $started;
        $isMadeNow = $age !== null && $age <= $spent + self::CLOCK_TOLERANCE;
        return $idIsOurs || $isMadeNow ? $tasks[0] : null;
    }

    /** How long ago a task was made, by the clock of the service; null where it does not say what time it is. */
    private static function findAge(Answer $answer, Task $task): ?float
    {
        $date = $answer->header('Date');
        $now = $date === '' ? false : strtotime($date);
        return $now === false ? null : $now - (float) $task->createdAt->format('U.u');
    }

    private static function makeId(): string
    {
        $bytes = random_bytes(16);
        $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
        $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
    }
}
