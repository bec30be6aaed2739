<?php

declare(strict_types=1);

namespace Postrider\Http;

use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;

/**
 * One request and its answer, on a connection of its own: curl would send again by itself on one that it used before.
 *
 * @internal
 */
final class CurlExchange
{
    public readonly \CurlHandle $handle;
    private int $status = 0;
    private string $reason = '';
    /** @var array<string, list<string>> */
    private array $headers = [];
    private bool $hasHead = false;
    private string $buffer = '';
    private bool $isDone = false;
    private ?CurlFailure $failure = null;

    /** @param array<int, mixed> $options */
    public function __construct(
        private readonly RequestInterface $request,
        private readonly CurlPool $pool,
        array $options,
    ) {
        $handle = curl_init();
        $lines = [];
        foreach ($request->getHeaders() as $name => $values) {
            foreach ($values as $value) {
                $lines[] = "$name: $value";
            }
        }
        // Neither a question before the body, nor the type that curl makes up for an empty one.
        $lines[] = 'Expect:';
        if (!$request->hasHeader('Content-Type')) {
            $lines[] = 'Content-Type:';
        }
        $body = (string) $request->getBody();
        if ($body !== '' || !in_array($request->getMethod(), ['GET', 'HEAD', 'DELETE'], true)) {
            curl_setopt($handle, CURLOPT_POSTFIELDS, $body);
        }
        curl_setopt_array($handle, $options + [
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_1_1,
        ]);
        curl_setopt_array($handle, [
            CURLOPT_URL => (string) $request->getUri(),
            CURLOPT_CUSTOMREQUEST => $request->getMethod(),
            CURLOPT_HTTPHEADER => $lines,
            // The signature is over the target as it is.
            CURLOPT_PATH_AS_IS => true,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_FRESH_CONNECT => true,
            CURLOPT_FORBID_REUSE => true,
            CURLOPT_NOSIGNAL => true,
            CURLOPT_SUPPRESS_CONNECT_HEADERS => true,
            CURLOPT_HEADERFUNCTION => fn (\CurlHandle $_, string $line): int => $this->takeHead($line),
            CURLOPT_WRITEFUNCTION => function (\CurlHandle $_, string $piece): int {
                $this->buffer .= $piece;
                return strlen($piece);
            },
        ]);
        $this->handle = $handle;
        $pool->add($this);
    }

    public function isDone(): bool
    {
        return $this->isDone;
    }

    /** Waits for the head, at most so long. */
    public function awaitHead(float $seconds): void
    {
        $this->await(fn (): bool => $this->hasHead, $seconds);
    }

    /** Waits for the end, at most so long. */
    public function awaitEnd(float $seconds): void
    {
        $this->await(fn (): bool => false, $seconds);
    }

    /** Waits for a piece, at most so long, and returns it; nothing is left after an empty one. */
    public function takePiece(float $seconds): string
    {
        $this->await(fn (): bool => $this->buffer !== '', $seconds);
        $piece = $this->buffer;
        $this->buffer = '';
        if ($piece === '' && $this->failure !== null) {
            throw $this->failure;
        }
        return $piece;
    }

    /** The whole answer, once it is done. */
    public function response(): ResponseInterface
    {
        if ($this->failure !== null) {
            throw $this->failure;
        }
        return new Response($this->status, $this->headers, $this->buffer, $this->reason);
    }

    /** The answer whose head is there. */
    public function openResponse(float $seconds): ResponseInterface
    {
        if (!$this->hasHead && $this->failure !== null) {
            throw $this->failure;
        }
        return new Response($this->status, $this->headers, new CurlBody($this, $seconds), $this->reason);
    }

    public function end(int $result): void
    {
        $this->isDone = true;
        if ($result === CURLE_OK && !$this->hasHead) {
            $result = CURLE_GOT_NOTHING;
        }
        if ($result !== CURLE_OK) {
            $text = curl_strerror($result) ?? "curl error $result";
            $this->failure = new CurlFailure($this->request, $this->explain($result), $text);
        }
    }

    /** Ends the connection, at whatever point it is. */
    public function close(): void
    {
        $this->pool->remove($this);
        $this->isDone = true;
    }

    private function await(callable $isThere, float $seconds): void
    {
        $end = hrtime(true) / 1e9 + $seconds;
        while (!$this->isDone && !$isThere()) {
            $left = $end - hrtime(true) / 1e9;
            if ($left <= 0) {
                $this->pool->remove($this);
                $this->end(CURLE_OPERATION_TIMEDOUT);
                return;
            }
            $this->pool->advance($left);
        }
    }

    /** @return 'unreachable'|'broken'|'timeout' */
    private function explain(int $result): string
    {
        $before = [CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT];
        // Without a connection, nothing can have arrived. With TLS there is none before its handshake is over.
        $isTls = strtolower($this->request->getUri()->getScheme()) === 'https';
        $connected = curl_getinfo($this->handle, $isTls ? CURLINFO_APPCONNECT_TIME_T : CURLINFO_CONNECT_TIME_T);
        if (in_array($result, $before, true) || $connected === 0) {
            return 'unreachable';
        }
        return $result === CURLE_OPERATION_TIMEDOUT ? 'timeout' : 'broken';
    }

    private function takeHead(string $line): int
    {
        $text = rtrim($line, "\r\n");
        if (preg_match('~^HTTP/[\d.]+ (\d{3}) ?(.*)$~', $text, $parts) === 1) {
            $this->status = (int) $parts[1];
            $this->reason = $parts[2];
            $this->headers = [];
        } elseif ($text === '') {
            // A 1xx goes before the head that counts.
            $this->hasHead = $this->status >= 200;
        } elseif (!$this->hasHead && str_contains($text, ':')) {
            [$name, $value] = explode(':', $text, 2);
            $this->headers[strtolower(trim($name))][] = trim($value);
        }
        return strlen($line);
    }
}
