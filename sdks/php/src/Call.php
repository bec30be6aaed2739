<?php

declare(strict_types=1);

namespace Postrider;

/**
 * One call of the API; the same bytes go out with every attempt.
 *
 * @internal
 */
final class Call
{
    /**
     * @param string $target With its query.
     * @param ?float $timeout For one attempt, in seconds; null: that of the client.
     * @param ?string $mediaType Other than JSON, for a list as a file.
     */
    public function __construct(
        public readonly string $method,
        public readonly string $target,
        public readonly string $body = '',
        public readonly ?float $timeout = null,
        public readonly ?string $mediaType = null,
    ) {
    }

    /**
     * Parameters that are null are left out.
     *
     * @param array<string, mixed> $query
     * @param array<string, mixed>|null $body
     */
    public static function make(
        string $method,
        string $path,
        array $query = [],
        ?array $body = null,
        ?float $timeout = null,
        ?string $mediaType = null,
    ): self {
        $words = [];
        foreach ($query as $name => $value) {
            if ($value !== null) {
                $words[] = rawurlencode((string) $name) . '=' . rawurlencode(Wire::word($value));
            }
        }
        $target = $words === [] ? $path : $path . '?' . implode('&', $words);
        // An empty body is an object too.
        $text = $body === null ? '' : Wire::encode($body === [] ? new \stdClass() : $body);
        return new self($method, $target, $text, $timeout, $mediaType);
    }

    /** Fills in the parameters of a path, encoded. */
    public static function path(string $pattern, string|int ...$parameters): string
    {
        return sprintf($pattern, ...array_map(fn ($one) => rawurlencode((string) $one), $parameters));
    }
}
