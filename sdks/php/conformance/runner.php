<?php

// The conformance runner of the PHP client: see sdks/README.md.

declare(strict_types=1);

namespace Postrider\Conformance;

use Postrider\Client;
use Postrider\ConnectionException;
use Postrider\Decimal;
use Postrider\Listing;
use Postrider\Model\Recipient;
use Postrider\ProblemException;
use Postrider\RetryPolicy;
use Postrider\Signature;
use Postrider\WaitTimeoutException;
use Postrider\Webhook;
use Postrider\WebhookVerificationException;

require __DIR__ . '/autoload.php';
require __DIR__ . '/RunnerClock.php';

// What is not as it should be is an error, not a line among the answers.
set_error_handler(static function (int $level, string $text, string $file, int $line): never {
    throw new \ErrorException($text, 0, $level, $file, $line);
});

final class Runner
{
    public RunnerClock $clock;
    private Client $client;

    public function __construct()
    {
        $this->clock = new RunnerClock([]);
    }

    /** @param array<string, mixed> $with */
    public function call(string $call, array $with): mixed
    {
        return match ($call) {
            'open' => $this->open($with),
            'describe' => ['text' => $this->describe()],
            'sign' => Signature::sign(
                $with['secret'],
                $with['method'],
                $with['target'],
                $with['timestamp_ms'],
                $with['body'],
            ),
            'verify_webhook' => self::verifyWebhook($with),
            'account' => $this->client->account(),
            'send' => $this->client->sendOrReplay(...self::named($with['request'])),
            'preview' => $this->client->preview(...self::named($with['request'])),
            'find_task' => $this->client->findTask($with['client_request_id']),
            'task' => $this->client->task($with['task_no']),
            'wait_for_task' => $this->client->waitForTask($with['task_no'], $with['timeout_ms'] / 1000),
            'move_task' => $this->client->{$with['move'] . 'Task'}($with['task_no']),
            'create_credential' => $this->client->createCredential(...self::named($with['body'])),
            'page' => $this->list($with)->page($with['page'] ?? null, $with['cursor'] ?? null),
            'walk' => ['items' => iterator_to_array($this->list($with), false)],
            'export' => $this->export($with),
            'send_all' => $this->sendAll($with),
        };
    }

    /** @param array<string, mixed> $with */
    private function open(array $with): void
    {
        $this->clock = new RunnerClock($with['clock']);
        $this->client = new Client(
            $with['base_url'],
            $with['api_key'],
            $with['api_secret'],
            timeout: isset($with['timeout_ms']) ? $with['timeout_ms'] / 1000 : null,
            retry: new RetryPolicy(...self::named($with['retry'])),
            clock: $this->clock,
            random: static fn (): float => (float) $with['random'],
        );
    }

    private function describe(): string
    {
        ob_start();
        var_dump($this->client);
        $dumped = ob_get_clean();
        $cast = print_r((array) $this->client, true);
        $exported = var_export($this->client, true);
        return "$this->client $dumped $cast $exported " . print_r($this->client, true) . json_encode($this->client);
    }

    /**
     * @param array<string, mixed> $with
     * @return array<string, mixed>
     */
    private static function verifyWebhook(array $with): array
    {
        $now = static fn (): float => $with['now_ms'] / 1000;
        $message = Webhook::verify($with['secret'], $with['headers'], $with['body'], $now);
        return ['id' => $message->id, 'type' => $message->type, 'items' => count($message->data->items)];
    }

    /**
     * @param array<string, mixed> $with
     * @return Listing<object>
     */
    private function list(array $with): Listing
    {
        $filters = self::named($with['filters'] ?? []);
        return $this->client->{$with['list']}(...$filters, ...self::named(self::pick($with, 'page_size')));
    }

    /**
     * @param array<string, mixed> $with
     * @return array<string, mixed>
     */
    private function export(array $with): array
    {
        $file = $this->list($with)->{$with['format']}(...self::pick($with, 'cursor', 'head'));
        $text = implode('', iterator_to_array($file, false));
        return ['text' => $text, 'rows' => $file->rows(), 'cursor' => $file->cursor()];
    }

    /** @param array<string, mixed> $with */
    private function sendAll(array $with): mixed
    {
        $numbers = array_map(
            static fn ($one) => is_string($one) ? $one : new Recipient($one['phone'], $one['variable_values'] ?? null),
            $with['numbers'],
        );
        $options = $with['request'] + self::pick($with, 'numbers_per_task', 'concurrency');
        return $this->client->sendAll($numbers, ...self::named($options));
    }

    /**
     * @param array<string, mixed> $with
     * @return array<string, mixed>
     */
    private static function pick(array $with, string ...$names): array
    {
        return array_intersect_key($with, array_flip($names));
    }

    /**
     * The names of arguments are in camel case.
     *
     * @param array<string, mixed> $fields
     * @return array<string, mixed>
     */
    private static function named(array $fields): array
    {
        $names = array_map(
            static fn ($name) => lcfirst(strtr(ucwords(strtr($name, '_', ' ')), [' ' => ''])),
            array_keys($fields),
        );
        return array_combine($names, $fields);
    }
}

/** What the client gives, as it travels; an amount says that it is a decimal. */
function wire(mixed $value): mixed
{
    if ($value instanceof Decimal) {
        return ['$decimal' => (string) $value];
    }
    if ($value instanceof \DateTimeInterface) {
        return $value->format('Y-m-d\TH:i:s.v\Z');
    }
    if (is_object($value)) {
        $named = [];
        foreach (get_object_vars($value) as $name => $one) {
            $named[strtolower(preg_replace('/[A-Z]/', '_$0', $name))] = wire($one);
        }
        return (object) $named;
    }
    return is_array($value) ? array_map(wire(...), $value) : $value;
}

/** @return array<string, mixed> */
function describeError(\Throwable $error): array
{
    $text = "$error\n" . print_r($error, true);
    if ($error instanceof ProblemException) {
        return [
            'kind' => 'problem',
            'text' => $text,
            'status' => $error->status,
            'code' => $error->errorCode,
            'key' => $error->key,
            'params' => (object) $error->params,
            'title' => $error->title,
            'detail' => $error->detail,
            'request_id' => $error->requestId,
            'errors' => array_map(wire(...), $error->errors),
            'retry_after_ms' => $error->retryAfter === null ? null : $error->retryAfter * 1000,
            'server_time_ms' => $error->serverTime === null ? null : $error->serverTime * 1000,
            'from_service' => $error->fromService,
            'outcome_unknown' => $error->outcomeUnknown,
        ];
    }
    if ($error instanceof ConnectionException) {
        $lost = ['reason' => $error->reason, 'client_request_id' => $error->clientRequestId];
        return ['kind' => 'connection', 'text' => $text] + $lost;
    }
    if ($error instanceof WaitTimeoutException) {
        return ['kind' => 'wait_timeout', 'text' => $text, 'task_no' => $error->task?->taskNo];
    }
    if ($error instanceof WebhookVerificationException) {
        return ['kind' => 'webhook', 'text' => $text];
    }
    return ['kind' => $error instanceof \InvalidArgumentException ? 'argument' : 'other', 'text' => $text];
}

$runner = new Runner();
while (($line = fgets(STDIN)) !== false) {
    $question = json_decode($line, true, 512, JSON_THROW_ON_ERROR);
    $runner->clock->sleeps = [];
    try {
        $answer = ['ok' => wire($runner->call($question['call'], $question['with'] ?? []))];
    } catch (\Throwable $error) {
        $answer = ['error' => describeError($error)];
    }
    $told = ['id' => $question['id']] + $answer + ['sleeps_ms' => $runner->clock->sleeps];
    echo json_encode($told, JSON_UNESCAPED_SLASHES | JSON_PARTIAL_OUTPUT_ON_ERROR), "\n";
}
