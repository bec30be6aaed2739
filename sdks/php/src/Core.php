<?php

declare(strict_types=1);

namespace Postrider;

use Postrider\Http\CurlClient;
use Postrider\Http\CurlFailure;
use Postrider\Http\Request;
use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;

/**
 * What the calls of one client share. What may take several attempts is a generator ("steps"): it yields a Call and is
 * given the Answer, or the exception that it ended with; it yields a float and is resumed after as many seconds.
 *
 * @internal
 */
final class Core
{
    private const JSON_TYPES = 'application/json, application/problem+json';

    /** Difference between the clock of the service and ours, learned when a timestamp was refused. */
    private float $skew = 0.0;
    private readonly Signer $signer;

    public function __construct(
        private readonly string $baseUrl,
        private readonly string $apiKey,
        #[\SensitiveParameter] string $apiSecret,
        public readonly float $timeout,
        public readonly RetryPolicy $retry,
        public readonly ClientInterface $http,
        public readonly Clock $clock,
        /** @var \Closure(): float */
        public readonly \Closure $random,
        private readonly string $userAgent,
    ) {
        $address = parse_url($baseUrl);
        if (!in_array($address['scheme'] ?? '', ['http', 'https'], true) || ($address['host'] ?? '') === '') {
            throw new \InvalidArgumentException("baseUrl is an address like https://sms.example.com, not \"$baseUrl\"");
        }
        foreach (['apiKey' => $apiKey, 'apiSecret' => $apiSecret] as $name => $value) {
            // Most often an environment variable that is not set: better said now than as a 401 later.
            if ($value === '') {
                throw new \InvalidArgumentException("$name is missing");
            }
        }
        $this->signer = new Signer($apiSecret);
    }

    public function __toString(): string
    {
        return "$this->baseUrl as $this->apiKey";
    }

    public function __debugInfo(): array
    {
        return ['baseUrl' => $this->baseUrl, 'apiKey' => $this->apiKey, 'timeout' => $this->timeout];
    }

    /**
     * As many attempts as the policy allows and are safe.
     *
     * @return \Generator<int, Call|float, Answer|null, Answer>
     */
    public function call(Call $call, bool $isRepeatable): \Generator
    {
        for ($count = 1;; $count++) {
            try {
                return yield from $this->exchange($call);
            } catch (PostriderException $error) {
                $delay = $this->retry->findDelay($error, $count, $isRepeatable, $this->random);
                if ($delay === null) {
                    throw $error;
                }
                yield $delay;
            }
        }
    }

    /**
     * One attempt. Only a clock that is off is corrected, and tried again.
     *
     * @return \Generator<int, Call|float, Answer|null, Answer>
     */
    public function exchange(Call $call): \Generator
    {
        try {
            return yield $call;
        } catch (ProblemException $error) {
            if (!$this->learnSkew($error)) {
                throw $error;
            }
            return yield $call;
        }
    }

    /**
     * Does what the steps ask for, one after the other.
     *
     * @template T
     * @param \Generator<int, Call|float, Answer|null, T> $steps
     * @return T
     */
    public function run(\Generator $steps): mixed
    {
        while ($steps->valid()) {
            $step = $steps->current();
            if (!$step instanceof Call) {
                $this->clock->sleep($step);
                $steps->next();
                continue;
            }
            try {
                $answer = $this->attempt($step);
            } catch (PostriderException $error) {
                $steps->throw($error);
                continue;
            }
            $steps->send($answer);
        }
        return $steps->getReturn();
    }

    /** Signs a call as it goes out, with the time as it is now. */
    public function request(Call $call): RequestInterface
    {
        $headers = [
            'Accept' => $call->mediaType === null ? self::JSON_TYPES : "$call->mediaType, application/problem+json",
            'User-Agent' => $this->userAgent,
            'X-Api-Key' => $this->apiKey,
        ];
        if ($call->body !== '') {
            $headers['Content-Type'] = 'application/json';
        }
        $request = new Request($call->method, $this->baseUrl . $call->target, $headers, $call->body);
        $timestamp = (int) floor(round(($this->clock->now() + $this->skew) * 1000, 3));
        $sign = $this->signer->sign($call->method, $request->getRequestTarget(), $timestamp, $call->body);
        return $request->withHeader('X-Timestamp', (string) $timestamp)->withHeader('X-Sign', $sign);
    }

    /** The seconds that an attempt may take. */
    public function timeoutOf(Call $call): float
    {
        return $call->timeout ?? $this->timeout;
    }

    /**
     * What ends with an answer of the service, in our words.
     *
     * @param callable(): ResponseInterface $exchange
     */
    public function read(Call $call, callable $exchange): Answer
    {
        try {
            $response = $exchange();
            $content = (string) $response->getBody();
        } catch (ClientExceptionInterface | \RuntimeException $error) {
            throw $this->explain($error, $call);
        }
        $this->checkStatus($response, $content);
        try {
            $flags = JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING;
            return new Answer($content === '' ? null : json_decode($content, true, 512, $flags), $response);
        } catch (\JsonException) {
            throw $this->refuse($response, 'JSON');
        }
    }

    /**
     * The pieces of a file as they come.
     *
     * @return \Generator<int, string>
     */
    public function stream(Call $call): \Generator
    {
        try {
            yield from $this->streamOnce($call);
        } catch (ProblemException $error) {
            // Refused before the first piece, so nothing comes twice.
            if (!$this->learnSkew($error)) {
                throw $error;
            }
            yield from $this->streamOnce($call);
        }
    }

    private function attempt(Call $call): Answer
    {
        $request = $this->request($call);
        return $this->read($call, fn () => $this->http instanceof CurlClient
            ? $this->http->sendWithin($request, $this->timeoutOf($call))
            : $this->http->sendRequest($request));
    }

    /** @return \Generator<int, string> */
    private function streamOnce(Call $call): \Generator
    {
        $request = $this->request($call);
        $type = (string) $call->mediaType;
        try {
            $response = $this->http instanceof CurlClient
                ? $this->http->open($request, $this->timeoutOf($call))
                : $this->http->sendRequest($request);
            if (!self::isSuccess($response)) {
                $this->checkStatus($response, (string) $response->getBody());
            }
            if (!str_starts_with(strtolower($response->getHeaderLine('Content-Type')), $type)) {
                throw $this->refuse($response, $type);
            }
            $body = $response->getBody();
            while (!$body->eof()) {
                $piece = $body->read(65536);
                if ($piece !== '') {
                    yield $piece;
                }
            }
        } catch (PostriderException $error) {
            throw $error;
        } catch (ClientExceptionInterface | \RuntimeException $error) {
            throw $this->explain($error, $call);
        }
    }

    private static function isSuccess(ResponseInterface $response): bool
    {
        return $response->getStatusCode() >= 200 && $response->getStatusCode() < 300;
    }

    private function checkStatus(ResponseInterface $response, string $content): void
    {
        if (!self::isSuccess($response)) {
            throw new ProblemException($response, $content, $this->clock->now());
        }
    }

    private function refuse(ResponseInterface $response, string $expected): ConnectionException
    {
        $text = "$this->baseUrl answered {$response->getStatusCode()} with something that is not $expected; "
            . 'is it the address of Postrider?';
        return new ConnectionException('unreadable', $text);
    }

    /** What another client than ours ended with may have arrived, for all we know. */
    private function explain(\Throwable $error, Call $call): ConnectionException
    {
        $reason = $error instanceof CurlFailure ? $error->reason : 'broken';
        $text = match ($reason) {
            'unreachable' => "Cannot reach $this->baseUrl ({$error->getMessage()})",
            'timeout' => "No answer from $this->baseUrl within {$this->timeoutOf($call)} s",
            default => "The connection to $this->baseUrl broke ({$error->getMessage()})",
        };
        $previous = $error instanceof CurlFailure ? null : $error;
        return new ConnectionException($reason, $text, previous: $previous);
    }

    /** Sets our clock by that of the service, where it refused our time. */
    private function learnSkew(ProblemException $error): bool
    {
        if ($error->errorCode !== 'timestamp_out_of_range' || $error->serverTime === null) {
            return false;
        }
        $this->skew = $error->serverTime - $this->clock->now();
        return true;
    }
}
