<?php

declare(strict_types=1);

namespace Postrider;

/**
 * No usable answer came.
 *
 * `reason` is `unreachable` (no connection was made: nothing arrived), `broken`, `timeout` (it may have arrived) or
 * `unreadable` (what answered is not this API). Of a send that may have arrived, `clientRequestId` is what to give to
 * `findTask` before anything is sent again.
 */
final class ConnectionException extends PostriderException
{
    /** @param 'unreachable'|'broken'|'timeout'|'unreadable' $reason */
    public function __construct(
        public readonly string $reason,
        string $message,
        public readonly ?string $clientRequestId = null,
        ?\Throwable $previous = null,
    ) {
        parent::__construct($message, 0, $previous);
    }
}
