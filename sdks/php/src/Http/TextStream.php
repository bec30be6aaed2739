<?php

declare(strict_types=1);

namespace Postrider\Http;

use Psr\Http\Message\StreamInterface;

/** A body that is all there (PSR-7). */
final class TextStream implements StreamInterface
{
    private int $position = 0;

    public function __construct(private string $text)
    {
    }

    public function __toString(): string
    {
        return $this->text;
    }

    public function close(): void
    {
        $this->text = '';
        $this->position = 0;
    }

    public function detach()
    {
        $this->close();
        return null;
    }

    public function getSize(): ?int
    {
        return strlen($this->text);
    }

    public function tell(): int
    {
        return $this->position;
    }

    public function eof(): bool
    {
        return $this->position >= strlen($this->text);
    }

    public function isSeekable(): bool
    {
        return true;
    }

    public function seek($offset, $whence = SEEK_SET): void
    {
        $from = [SEEK_SET => 0, SEEK_CUR => $this->position, SEEK_END => strlen($this->text)][$whence] ?? 0;
        $position = $from + (int) $offset;
        if ($position < 0 || $position > strlen($this->text)) {
            throw new \RuntimeException('The stream has no such place');
        }
        $this->position = $position;
    }

    public function rewind(): void
    {
        $this->position = 0;
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
        $piece = substr($this->text, $this->position, (int) $length);
        $this->position += strlen($piece);
        return $piece;
    }

    public function getContents(): string
    {
        return $this->read(strlen($this->text));
    }

    public function getMetadata($key = null)
    {
        return $key === null ? [] : null;
    }
}
