<?php

declare(strict_types=1);

namespace Postrider\Http;

use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;

/** The PSR-18 client that a Client has unless it is given another. It needs the curl extension and nothing else. */
final class CurlClient implements ClientInterface
{
    /** @param array<int, mixed> $options Of curl: a proxy, a certificate. What this client needs itself goes before them. */
    public function __construct(private readonly array $options = [], private readonly float $timeout = 30.0)
    {
    }

    public function sendRequest(RequestInterface $request): ResponseInterface
    {
        return $this->sendWithin($request, $this->timeout);
    }

    /** The whole answer, within this time from the connection to the last byte. */
    public function sendWithin(RequestInterface $request, float $seconds): ResponseInterface
    {
        $exchange = $this->start($request, new CurlPool());
        $exchange->awaitEnd($seconds);
        return $exchange->response();
    }

    /** The answer with a body that is read as it comes; the time is for the wait for the head and for each piece. */
    public function open(RequestInterface $request, float $seconds): ResponseInterface
    {
        $exchange = $this->start($request, new CurlPool());
        $exchange->awaitHead($seconds);
        return $exchange->openResponse($seconds);
    }

    /**
     * Begins an exchange beside others; with a time, curl ends it.
     *
     * @internal
     */
    public function start(RequestInterface $request, CurlPool $pool, ?float $seconds = null): CurlExchange
    {
        $limit = $seconds === null ? [] : [CURLOPT_TIMEOUT_MS => max(1, (int) ceil($seconds * 1000))];
        return new CurlExchange($request, $pool, $limit + $this->options);
    }
}
