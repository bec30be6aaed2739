<?php

declare(strict_types=1);

namespace Postrider;

/** The signature of requests; needed only where requests are made without this package. */
final class Signature
{
    /** The header `X-Sign`. `target` is the path with its query, as it stands on the request line. */
    public static function sign(
        #[\SensitiveParameter] string $apiSecret,
        string $method,
        string $target,
        int $timestampMs,
        string $body,
    ): string {
        $text = implode("\n", [$method, $target, $timestampMs, hash('sha256', $body)]);
        return hash_hmac('sha256', $text, $apiSecret);
    }
}
