<?php

declare(strict_types=1);

namespace Postrider\Http;

use Psr\Http\Message\StreamInterface;

/**
 * A body as it comes (PSR-7): fetched no faster than it is read, and read once.
 *
 * @internal
 */
final class CurlBody implements StreamInterface
{
    private string $rest = '';
    private bool $isOver = false;
    private int $position = 0;

    public function __construct(private readonly CurlExchange $exchange, private readonly float $seconds)
    {
    }

    public function __destruct()
    {
        $this->exchange->close();
    }

    public function __toString(): string
    {
        return $this->getContents();
    }

    public function close(): void
    {
        $this->exchange->close();
        $this->rest = '';
        $this->isOver = true;
    }

    public function detach()
    {
        $this->close();
        return null;
    }

    public function getSize(): ?int
    {
        return null;
    }

    public function tell(): int
    {
        return $this->position;
    }

    public function eof(): bool
    {
        return $this->isOver && $this->rest === '';
    }

    public function isSeekable(): bool
    {
        return false;
    }

    public function seek($offset, $whence = SEEK_SET): void
    {
        throw new \RuntimeException('This stream is read once');
    }

    public function rewind(): void
    {
        throw new \RuntimeException('This stream is read once');
    }

    public function isWritable(): bool
    {
        return false;
    }

    public function write($string): int
    {
        throw new \RuntimeException('This stream is read only');
    }

    public function isReadable(): bool
    {
        return true;
    }

    public function read($length): string
    {
        if ($this->rest === '' && !$this->isOver) {
            $this->rest = $this->exchange->takePiece($this->seconds);
            $this->isOver = $this->rest === '';
        }
        $piece = substr($this->rest, 0, (int) $length);
        $this->rest = substr($this->rest, strlen($piece));
        $this->position += strlen($piece);
        return $piece;
    }

    public function getContents(): string
    {
        $text = '';
        while (!$this->eof()) {
            $text .= $this->read(65536);
        }
        return $text;
    }

    public function getMetadata($key = null)
    {
        return $key === null ? [] : null;
    }
}
