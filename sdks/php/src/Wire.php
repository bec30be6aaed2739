<?php

declare(strict_types=1);

namespace Postrider;

/**
 * From what a caller gives to what travels.
 *
 * @internal
 */
final class Wire
{
    /** JSON as JavaScript writes it: compact, and with characters as they are. */
    public static function encode(mixed $value): string
    {
        $flags = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_LINE_TERMINATORS;
        try {
            return json_encode(self::write($value), $flags | JSON_THROW_ON_ERROR);
        } catch (\JsonException $error) {
            throw new \InvalidArgumentException("This cannot be sent: {$error->getMessage()}", 0, $error);
        }
    }

    /** A value of a query. */
    public static function word(mixed $value): string
    {
        if (is_bool($value)) {
            return $value ? 'true' : 'false';
        }
        return $value instanceof \DateTimeInterface ? self::time($value) : (string) $value;
    }

    /**
     * The fields that were given: neither those that are null, nor those that are omitted.
     *
     * @param array<string, mixed> $fields
     * @param list<string> $nullable Null is a value of these.
     * @return array<string, mixed>
     */
    public static function given(array $fields, array $nullable = []): array
    {
        $isGiven = fn (mixed $value, string $name): bool => $value !== Omitted::Value
            && ($value !== null || in_array($name, $nullable, true));
        return array_filter($fields, $isGiven, ARRAY_FILTER_USE_BOTH);
    }

    private static function write(mixed $value): mixed
    {
        if ($value instanceof \DateTimeInterface) {
            return self::time($value);
        }
        if ($value instanceof \JsonSerializable) {
            return self::write($value->jsonSerialize());
        }
        if ($value instanceof \stdClass) {
            return (object) array_map(self::write(...), (array) $value);
        }
        return is_array($value) ? array_map(self::write(...), $value) : $value;
    }

    private static function time(\DateTimeInterface $time): string
    {
        return \DateTimeImmutable::createFromInterface($time)
            ->setTimezone(new \DateTimeZone('UTC'))
            ->format('Y-m-d\TH:i:s.v\Z');
    }
}
