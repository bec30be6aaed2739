<?php

declare(strict_types=1);

namespace Postrider\Http;

use Psr\Http\Message\UriInterface;

/** An address (PSR-7). It is kept as it was written: what is signed is what goes out. */
final class Uri implements UriInterface
{
    private function __construct(
        private string $scheme,
        private string $userInfo,
        private string $host,
        private ?int $port,
        private string $path,
        private string $query,
        private string $fragment,
    ) {
    }

    public static function parse(string $url): self
    {
        $parts = parse_url($url);
        if ($parts === false) {
            throw new \InvalidArgumentException('This is no address');
        }
        $scheme = strtolower($parts['scheme'] ?? '');
        $port = $parts['port'] ?? null;
        return new self(
            $scheme,
            ($parts['user'] ?? '') . (isset($parts['pass']) ? ":{$parts['pass']}" : ''),
            strtolower($parts['host'] ?? ''),
            $port === self::portOf($scheme) ? null : $port,
            $parts['path'] ?? '',
            $parts['query'] ?? '',
            $parts['fragment'] ?? '',
        );
    }

    public function getScheme(): string
    {
        return $this->scheme;
    }

    public function getAuthority(): string
    {
        $user = $this->userInfo === '' ? '' : "$this->userInfo@";
        return $this->host === '' ? '' : $user . $this->host . ($this->port === null ? '' : ":$this->port");
    }

    public function getUserInfo(): string
    {
        return $this->userInfo;
    }

    public function getHost(): string
    {
        return $this->host;
    }

    public function getPort(): ?int
    {
        return $this->port;
    }

    public function getPath(): string
    {
        return $this->path;
    }

    public function getQuery(): string
    {
        return $this->query;
    }

    public function getFragment(): string
    {
        return $this->fragment;
    }

    public function withScheme($scheme): static
    {
        $port = $this->port === self::portOf(strtolower((string) $scheme)) ? null : $this->port;
        return $this->with(['scheme' => strtolower((string) $scheme), 'port' => $port]);
    }

    public function withUserInfo($user, $password = null): static
    {
        return $this->with(['userInfo' => $user . ($password === null ? '' : ":$password")]);
    }

    public function withHost($host): static
    {
        return $this->with(['host' => strtolower((string) $host)]);
    }

    public function withPort($port): static
    {
        return $this->with(['port' => $port === self::portOf($this->scheme) ? null : $port]);
    }

    public function withPath($path): static
    {
        return $this->with(['path' => (string) $path]);
    }

    public function withQuery($query): static
    {
        return $this->with(['query' => (string) $query]);
    }

    public function withFragment($fragment): static
    {
        return $this->with(['fragment' => (string) $fragment]);
    }

    public function __toString(): string
    {
        $authority = $this->getAuthority();
        return ($this->scheme === '' ? '' : "$this->scheme:")
            . ($authority === '' ? '' : "//$authority")
            . $this->path
            . ($this->query === '' ? '' : "?$this->query")
            . ($this->fragment === '' ? '' : "#$this->fragment");
    }

    /** @param array<string, string|int|null> $changes */
    private function with(array $changes): static
    {
        $other = clone $this;
        foreach ($changes as $name => $value) {
            $other->$name = $value;
        }
        return $other;
    }

    private static function portOf(string $scheme): ?int
    {
        return ['http' => 80, 'https' => 443][$scheme] ?? null;
    }
}
