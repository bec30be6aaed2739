<?php

declare(strict_types=1);

namespace Postrider;

/**
 * One of the requests that numbers are cut into.
 *
 * @internal
 */
final class CutRequest
{
    /** @param array<string, mixed> $fields */
    public function __construct(
        public readonly int $index,
        public readonly string $batchId,
        public readonly array $fields,
    ) {
    }
}
