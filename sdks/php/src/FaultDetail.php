<?php

declare(strict_types=1);

namespace Postrider;

/** One fault of a request: `pointer` is a JSON pointer into the body, or `?name` of the query. */
final class FaultDetail
{
    /** @param array<string, mixed> $params What is filled into the sentence that `key` names: translate by it. */
    public function __construct(
        public readonly string $pointer,
        public readonly string $code,
        public readonly string $message,
        public readonly string $key,
        public readonly array $params,
    ) {
    }
}
