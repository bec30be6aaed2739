<?php

declare(strict_types=1);

namespace Postrider\Http;

use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\StreamInterface;

/** A response (PSR-7). */
final class Response implements ResponseInterface
{
    use Message;

    /** @param array<string, string|list<string>> $headers */
    public function __construct(
        private int $status,
        array $headers,
        StreamInterface|string $body = '',
        private string $reason = '',
    ) {
        $this->body = is_string($body) ? new TextStream($body) : $body;
        foreach ($headers as $name => $value) {
            $this->putHeader((string) $name, $value);
        }
    }

    public function getStatusCode(): int
    {
        return $this->status;
    }

    public function withStatus($code, $reasonPhrase = ''): static
    {
        $other = clone $this;
        $other->status = (int) $code;
        $other->reason = (string) $reasonPhrase;
        return $other;
    }

    public function getReasonPhrase(): string
    {
        return $this->reason;
    }
}
