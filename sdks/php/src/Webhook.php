<?php

declare(strict_types=1);

namespace Postrider;

use Postrider\Model\WebhookData;

/** The receiving end of a webhook (Standard Webhooks). */
final class Webhook
{
    /** In seconds: an older call, or one from the future, may be a replay. */
    public const TOLERANCE = 300;

    /**
     * The message of a call to your webhook, once it is proven to be from the service.
     *
     * `headers` are those of the request, in any case (PSR-7 `getHeaders()` and `getallheaders()` both fit); `body` is as it
     * came, before anything has parsed it. Throws a WebhookVerificationException otherwise: answer 400 then.
     *
     * @param array<string, string|list<string>> $headers
     * @param (callable(): float)|null $now
     */
    public static function verify(
        #[\SensitiveParameter] string $secret,
        array $headers,
        string $body,
        ?callable $now = null,
    ): WebhookMessage {
        $id = self::readHeader($headers, 'webhook-id');
        $timestamp = self::readHeader($headers, 'webhook-timestamp');
        if (preg_match('/^\d{1,12}$/D', $timestamp) !== 1) {
            throw new WebhookVerificationException('the timestamp is no number');
        }
        if (abs(($now === null ? microtime(true) : $now()) - (int) $timestamp) > self::TOLERANCE) {
            throw new WebhookVerificationException('the timestamp is too far from now');
        }
        $expected = hash_hmac('sha256', "$id.$timestamp.$body", self::readSecret($secret), true);
        $isGenuine = false;
        // During a rotation there are several: by the new secret and by the old one.
        foreach (explode(' ', self::readHeader($headers, 'webhook-signature')) as $signature) {
            [$version, $encoded] = explode(',', $signature, 2) + [1 => ''];
            $isGenuine = ($version === 'v1' && hash_equals($expected, self::decode($encoded))) || $isGenuine;
        }
        return $isGenuine
            ? self::readMessage($id, $body)
            : throw new WebhookVerificationException('no signature is by this secret');
    }

    /** @param array<string, string|list<string>> $headers */
    private static function readHeader(array $headers, string $name): string
    {
        foreach ($headers as $given => $value) {
            $text = is_array($value) ? implode(' ', $value) : $value;
            if (strtolower((string) $given) === $name && $text !== '') {
                return $text;
            }
        }
        throw new WebhookVerificationException("the header $name is missing");
    }

    private static function readSecret(#[\SensitiveParameter] string $secret): string
    {
        $key = self::decode(str_starts_with($secret, 'whsec_') ? substr($secret, 6) : $secret);
        return $key === ''
            ? throw new WebhookVerificationException('the secret must be whsec_ and base64, as it was shown')
            : $key;
    }

    /** Nothing for what is no base64; missing padding is forgiven. */
    private static function decode(#[\SensitiveParameter] string $text): string
    {
        $isBase64 = preg_match('~^[A-Za-z0-9+/]+={0,2}$~D', $text) === 1 && strlen(rtrim($text, '=')) % 4 !== 1;
        return $isBase64 ? (string) base64_decode($text, true) : '';
    }

    private static function readMessage(string $id, string $body): WebhookMessage
    {
        try {
            $message = Read::map(json_decode($body, true, 512, JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING));
            $type = Read::text($message['type'] ?? null);
            $data = Read::map($message['data'] ?? null);
            $model = WebhookData::MODELS[$type] ?? null;
            $read = $model === null ? $data : Read::model($model, $data);
            return new WebhookMessage($id, $type, Read::time($message['timestamp'] ?? null), $read);
        } catch (\JsonException | \UnexpectedValueException | ConnectionException $error) {
            throw new WebhookVerificationException('the message cannot be read', 0, $error);
        }
    }
}
