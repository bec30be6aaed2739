<?php

declare(strict_types=1);

namespace Postrider;

/**
 * From JSON to the types of the models. Fields and words that a later service has added do no harm.
 *
 * @internal
 */
final class Read
{
    public static function text(mixed $value): string
    {
        return is_string($value) ? $value : self::refuse('text');
    }

    public static function integer(mixed $value): int
    {
        return is_int($value) ? $value : self::refuse('a whole number');
    }

    public static function number(mixed $value): int|float
    {
        return is_int($value) || is_float($value) ? $value : self::refuse('a number');
    }

    public static function boolean(mixed $value): bool
    {
        return is_bool($value) ? $value : self::refuse('true or false');
    }

    public static function decimal(mixed $value): Decimal
    {
        try {
            return new Decimal(self::text($value));
        } catch (\InvalidArgumentException) {
            self::refuse('an amount');
        }
    }

    public static function time(mixed $value): \DateTimeImmutable
    {
        try {
            return new \DateTimeImmutable(self::text($value));
        } catch (\UnexpectedValueException $error) {
            throw $error;
        } catch (\Exception) {
            self::refuse('a time');
        }
    }

    /** @return array<array-key, mixed> */
    public static function map(mixed $value): array
    {
        return is_array($value) ? $value : self::refuse('an object');
    }

    /** @return list<mixed> */
    public static function list(mixed $value): array
    {
        return is_array($value) && array_is_list($value) ? $value : self::refuse('a list');
    }

    /**
     * A model of the answer to a call: without the field that every such answer begins with, it is of something else.
     *
     * @template T of object
     * @param class-string<T> $model
     * @return T
     */
    public static function answer(string $model, mixed $value): object
    {
        $answer = self::model($model, $value);
        $first = (new \ReflectionClass($model))->getProperties()[0];
        if (!$first->isInitialized($answer)) {
            $name = substr($model, strrpos($model, '\\') + 1);
            throw new ConnectionException('unreadable', "The answer is no $name: it has no $first->name");
        }
        return $answer;
    }

    /**
     * A model of a JSON object.
     *
     * @template T of object
     * @param class-string<T> $model
     * @return T
     */
    public static function model(string $model, mixed $value): object
    {
        try {
            return new $model(self::map($value));
        } catch (\UnexpectedValueException $error) {
            $name = substr($model, strrpos($model, '\\') + 1);
            throw new ConnectionException('unreadable', "The answer is no $name: {$error->getMessage()}");
        }
    }

    private static function refuse(string $expected): never
    {
        throw new \UnexpectedValueException("something in it is not $expected");
    }
}
