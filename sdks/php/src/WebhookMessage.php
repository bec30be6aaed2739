<?php

declare(strict_types=1);

namespace Postrider;

/**
 * What a webhook receives.
 *
 * `id` stays the same when a message comes again, so that it can be recognised. The class of `data` follows from `type`
 * ({@see Model\WebhookData}); of a type that this version does not know it is an array.
 */
final class WebhookMessage
{
    /** @param object|array<string, mixed> $data */
    public function __construct(
        public readonly string $id,
        public readonly string $type,
        public readonly \DateTimeImmutable $timestamp,
        public readonly object|array $data,
    ) {
    }
}
