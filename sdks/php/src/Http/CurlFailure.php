<?php

declare(strict_types=1);

namespace Postrider\Http;

use Psr\Http\Client\NetworkExceptionInterface;
use Psr\Http\Message\RequestInterface;

/** An exchange of a CurlClient came to no end. */
final class CurlFailure extends \RuntimeException implements NetworkExceptionInterface
{
    /** @param 'unreachable'|'broken'|'timeout' $reason Unreachable: no connection was made, so nothing was sent. */
    public function __construct(
        private readonly RequestInterface $request,
        public readonly string $reason,
        string $message,
    ) {
        parent::__construct($message);
    }

    public function getRequest(): RequestInterface
    {
        return $this->request;
    }
}
