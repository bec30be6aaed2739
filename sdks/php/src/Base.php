<?php

declare(strict_types=1);

namespace Postrider;

use Postrider\Http\CurlClient;
use Psr\Http\Client\ClientInterface;

/** What the methods of a Client are made of. */
abstract class Base
{
    public const VERSION = '0.2.0';

    protected readonly Core $core;

    /**
     * Nothing is sent yet; a missing option is refused at once.
     *
     * @param ?float $timeout For one attempt, in seconds (30). It binds the client that this package brings; another one
     *     has its own.
     * @param ?ClientInterface $http Any PSR-18 client: for connections that are kept, a proxy, a test.
     * @param (callable(): float)|null $random Between 0 and 1; for jitter only.
     */
    public function __construct(
        string $baseUrl,
        string $apiKey,
        #[\SensitiveParameter] string $apiSecret,
        ?float $timeout = null,
        ?RetryPolicy $retry = null,
        ?ClientInterface $http = null,
        ?Clock $clock = null,
        ?callable $random = null,
        ?string $userAgent = null,
    ) {
        $this->core = new Core(
            rtrim($baseUrl, '/'),
            $apiKey,
            $apiSecret,
            $timeout ?? 30.0,
            $retry ?? new RetryPolicy(),
            $http ?? new CurlClient(),
            $clock ?? new SystemClock(),
            ($random ?? static fn (): float => mt_rand() / mt_getrandmax())(...),
            $userAgent ?? 'postrider-php/' . self::VERSION,
        );
    }

    public function __toString(): string
    {
        return static::class . " of $this->core";
    }

    public function __debugInfo(): array
    {
        return $this->core->__debugInfo();
    }

    /**
     * @template T of object
     * @param class-string<T> $model
     * @param array<string, mixed> $query
     * @param array<string, mixed>|null $body
     * @return T
     */
    protected function call(
        string $model,
        string $method,
        string $path,
        array $query,
        ?array $body,
        bool $isRepeatable,
        ?float $timeout,
    ): object {
        $call = Call::make($method, $path, $query, $body, $timeout);
        return Read::answer($model, $this->core->run($this->core->call($call, $isRepeatable))->value);
    }

    /** @param array<string, mixed> $fields */
    protected function sendOne(array $fields, ?float $timeout): SentTask
    {
        return $this->core->run((new SafeSend($this->core))->steps(Wire::given($fields), $timeout));
    }

    /**
     * @param iterable<string|Model\Recipient> $numbers
     * @param array<string, mixed> $fields
     * @param (callable(SendAllProgress): void)|null $onProgress
     */
    protected function sendMany(
        iterable $numbers,
        array $fields,
        int $numbersPerTask,
        int $concurrency,
        ?callable $onProgress,
        ?float $timeout,
    ): SendAllSummary {
        $cutter = new RequestCutter(Wire::given($fields), $numbersPerTask);
        return (new SendAll($this->core, $timeout, $onProgress))->run($cutter, $numbers, $concurrency);
    }
}
