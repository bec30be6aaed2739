<?php

declare(strict_types=1);

namespace Postrider;

/**
 * Signs by a secret that is in no property, so that whatever shows an object does not show it.
 *
 * @internal
 */
final class Signer
{
    /** @var \WeakMap<self, string>|null */
    private static ?\WeakMap $secrets = null;

    public function __construct(#[\SensitiveParameter] string $apiSecret)
    {
        self::$secrets ??= new \WeakMap();
        self::$secrets[$this] = $apiSecret;
    }

    public function sign(string $method, string $target, int $timestampMs, string $body): string
    {
        return Signature::sign(self::$secrets[$this] ?? '', $method, $target, $timestampMs, $body);
    }

    public function __clone()
    {
        throw new \LogicException('A client is not copied');
    }

    public function __serialize(): array
    {
        throw new \LogicException('A client is not stored');
    }
}
