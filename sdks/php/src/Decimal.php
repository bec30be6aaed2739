<?php

declare(strict_types=1);

namespace Postrider;

/**
 * An amount, with the digits that the service sent: never a float. As text it fits the functions of bcmath.
 *
 * Compare with `compareTo` or `equals`: PHP's own `==` and `<` would compare floats.
 */
final class Decimal implements \JsonSerializable
{
    private readonly string $digits;

    public function __construct(string $digits)
    {
        if (preg_match('/^-?\d+(\.\d+)?$/D', $digits) !== 1) {
            throw new \InvalidArgumentException('A decimal is digits, such as "0.050000"');
        }
        $this->digits = $digits;
    }

    public function __toString(): string
    {
        return $this->digits;
    }

    public function jsonSerialize(): string
    {
        return $this->digits;
    }

    /** -1, 0 or 1: less than the other, equal, more. Exact, for any number of digits. */
    public function compareTo(self|string|int $other): int
    {
        [$sign, $whole, $part] = $this->split();
        [$otherSign, $otherWhole, $otherPart] = self::of($other)->split();
        if ($sign !== $otherSign) {
            return $sign <=> $otherSign;
        }
        $longer = max(strlen($part), strlen($otherPart));
        $size = strlen($whole) <=> strlen($otherWhole) ?: strcmp(
            $whole . str_pad($part, $longer, '0'),
            $otherWhole . str_pad($otherPart, $longer, '0'),
        );
        return $sign * ($size <=> 0);
    }

    public function equals(self|string|int $other): bool
    {
        return $this->compareTo($other) === 0;
    }

    public function isZero(): bool
    {
        return $this->split()[0] === 0;
    }

    public function isNegative(): bool
    {
        return $this->split()[0] < 0;
    }

    private static function of(self|string|int $value): self
    {
        return $value instanceof self ? $value : new self((string) $value);
    }

    /** @return array{int, string, string} The sign, and the digits before and behind the point that count. */
    private function split(): array
    {
        [$whole, $part] = explode('.', ltrim($this->digits, '-')) + [1 => ''];
        [$whole, $part] = [ltrim($whole, '0'), rtrim($part, '0')];
        $isZero = $whole === '' && $part === '';
        return [$isZero ? 0 : ($this->digits[0] === '-' ? -1 : 1), $whole, $part];
    }
}
