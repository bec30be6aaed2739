<?php

declare(strict_types=1);

namespace Postrider\Http;

use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\UriInterface;

/** A request (PSR-7), for any PSR-18 client. */
final class Request implements RequestInterface
{
    use Message;

    private string $method;
    private UriInterface $uri;
    private ?string $target = null;

    /** @param array<string, string> $headers */
    public function __construct(string $method, string $url, array $headers, string $body = '')
    {
        $this->method = $method;
        $this->uri = Uri::parse($url);
        $this->body = new TextStream($body);
        $this->putHeader('Host', $this->hostOf($this->uri));
        foreach ($headers as $name => $value) {
            $this->putHeader($name, $value);
        }
    }

    public function getRequestTarget(): string
    {
        if ($this->target !== null) {
            return $this->target;
        }
        $query = $this->uri->getQuery();
        return ($this->uri->getPath() === '' ? '/' : $this->uri->getPath()) . ($query === '' ? '' : "?$query");
    }

    public function withRequestTarget($requestTarget): static
    {
        $other = clone $this;
        $other->target = (string) $requestTarget;
        return $other;
    }

    public function getMethod(): string
    {
        return $this->method;
    }

    public function withMethod($method): static
    {
        $other = clone $this;
        $other->method = (string) $method;
        return $other;
    }

    public function getUri(): UriInterface
    {
        return $this->uri;
    }

    public function withUri(UriInterface $uri, $preserveHost = false): static
    {
        $other = clone $this;
        $other->uri = $uri;
        if ($uri->getHost() !== '' && ($preserveHost !== true || !$this->hasHeader('Host'))) {
            $other->putHeader('Host', $this->hostOf($uri));
        }
        return $other;
    }

    /** What a log shows: no signature. */
    public function __debugInfo(): array
    {
        return ['method' => $this->method, 'uri' => (string) $this->uri];
    }

    private function hostOf(UriInterface $uri): string
    {
        return $uri->getHost() . ($uri->getPort() === null ? '' : ":{$uri->getPort()}");
    }
}
