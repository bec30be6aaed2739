<?php

declare(strict_types=1);

namespace Postrider\Http;

use Psr\Http\Message\StreamInterface;

/** What requests and responses have in common (PSR-7). Objects of it do not change. */
trait Message
{
    /** @var array<string, array{string, list<string>}> By the name in lower case: the name as given, and the values. */
    private array $headers = [];
    private StreamInterface $body;
    private string $protocol = '1.1';

    public function getProtocolVersion(): string
    {
        return $this->protocol;
    }

    public function withProtocolVersion($version): static
    {
        $other = clone $this;
        $other->protocol = (string) $version;
        return $other;
    }

    /** @return array<string, list<string>> */
    public function getHeaders(): array
    {
        $named = [];
        foreach ($this->headers as [$name, $values]) {
            $named[$name] = $values;
        }
        return $named;
    }

    public function hasHeader($name): bool
    {
        return isset($this->headers[strtolower((string) $name)]);
    }

    /** @return list<string> */
    public function getHeader($name): array
    {
        return $this->headers[strtolower((string) $name)][1] ?? [];
    }

    public function getHeaderLine($name): string
    {
        return implode(', ', $this->getHeader($name));
    }

    public function withHeader($name, $value): static
    {
        $other = clone $this;
        $other->putHeader((string) $name, $value);
        return $other;
    }

    public function withAddedHeader($name, $value): static
    {
        return $this->withHeader($name, [...$this->getHeader($name), ...array_values((array) $value)]);
    }

    public function withoutHeader($name): static
    {
        $other = clone $this;
        unset($other->headers[strtolower((string) $name)]);
        return $other;
    }

    public function getBody(): StreamInterface
    {
        return $this->body;
    }

    public function withBody(StreamInterface $body): static
    {
        $other = clone $this;
        $other->body = $body;
        return $other;
    }

    /** @param string|list<string> $value */
    private function putHeader(string $name, string|array $value): void
    {
        $values = array_map(strval(...), array_values((array) $value));
        foreach ([$name, ...$values] as $text) {
            if (preg_match('/[\r\n\0]/', $text) === 1) {
                throw new \InvalidArgumentException('A header is one line');
            }
        }
        if (preg_match('/^[!#$%&\'*+.^_`|~0-9A-Za-z-]+$/D', $name) !== 1) {
            throw new \InvalidArgumentException('The name of a header has only letters, digits and marks');
        }
        $this->headers[strtolower($name)] = [$name, $values];
    }
}
