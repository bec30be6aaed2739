<?php

declare(strict_types=1);

namespace Postrider;

use Psr\Http\Message\ResponseInterface;

/**
 * The service answered with a problem (RFC 9457).
 *
 * Nothing was stored, reserved or sent, unless `outcomeUnknown` says that this is not certain. `getCode()` is the status.
 */
final class ProblemException extends PostriderException
{
    public readonly int $status;
    /** The `code` of the problem: one of {@see Model\ErrorCode}, or a later one. */
    public readonly string $errorCode;
    public readonly string $key;
    /** @var array<string, mixed> */
    public readonly array $params;
    public readonly string $title;
    public readonly ?string $detail;
    /** Name it when you ask for help: it is in the logs of the service. */
    public readonly ?string $requestId;
    /** @var list<FaultDetail> */
    public readonly array $errors;
    /** In seconds. */
    public readonly ?float $retryAfter;
    /** The clock of the service, in seconds since the epoch, with `timestamp_out_of_range`. */
    public readonly ?float $serverTime;
    /** False when something in between answered, such as a proxy: then nothing is certain. */
    public readonly bool $fromService;
    /** The service lost its database before it learned whether the request was carried out. */
    public readonly bool $outcomeUnknown;

    public function __construct(ResponseInterface $response, string $content, float $now)
    {
        $body = self::readArray(json_decode($content, true));
        $code = self::readText($body, 'code');
        $this->status = $response->getStatusCode();
        $this->errorCode = $code ?? 'unexpected_answer';
        $this->key = self::readText($body, 'key') ?? 'unexpected_answer';
        $this->params = self::readArray($body['params'] ?? null);
        $this->title = self::readText($body, 'title') ?? "HTTP $this->status";
        $this->detail = self::readText($body, 'detail');
        $header = $response->getHeaderLine('X-Request-Id');
        $this->requestId = self::readText($body, 'request_id') ?? ($header === '' ? null : $header);
        $this->errors = array_map(self::readFault(...), array_values(self::readArray($body['errors'] ?? null)));
        $this->retryAfter = self::readRetryAfter($response->getHeaderLine('Retry-After'), $now);
        $this->serverTime = self::readTime($body['server_time'] ?? null);
        $this->fromService = $code !== null;
        $this->outcomeUnknown = ($body['outcome'] ?? null) === 'unknown';
        parent::__construct($this->describe(), $this->status);
    }

    private function describe(): string
    {
        $text = "$this->status $this->errorCode: " . ($this->detail ?? $this->title);
        $text .= $this->requestId === null ? '' : " [request $this->requestId]";
        foreach ($this->errors as $fault) {
            $text .= "\n  " . ($fault->pointer === '' ? '(body)' : $fault->pointer) . ": $fault->message";
        }
        return $text;
    }

    /** @return array<array-key, mixed> */
    private static function readArray(mixed $value): array
    {
        return is_array($value) ? $value : [];
    }

    /** @param array<array-key, mixed> $body */
    private static function readText(array $body, string $name): ?string
    {
        return is_string($body[$name] ?? null) ? $body[$name] : null;
    }

    private static function readFault(mixed $value): FaultDetail
    {
        $body = self::readArray($value);
        $texts = array_map(fn ($name) => self::readText($body, $name) ?? '', ['pointer', 'code', 'message', 'key']);
        return new FaultDetail(...[...$texts, self::readArray($body['params'] ?? null)]);
    }

    /** The seconds from now; the header has seconds or an HTTP date. */
    private static function readRetryAfter(string $header, float $now): ?float
    {
        if (is_numeric($header)) {
            return max(0.0, (float) $header);
        }
        $time = $header === '' ? false : strtotime($header);
        return $time === false ? null : max(0.0, $time - $now);
    }

    private static function readTime(mixed $value): ?float
    {
        if (is_numeric($value)) {
            return (float) $value / 1000;
        }
        try {
            return is_string($value) ? (float) (new \DateTimeImmutable($value))->format('U.u') : null;
        } catch (\Exception) {
            return null;
        }
    }
}
