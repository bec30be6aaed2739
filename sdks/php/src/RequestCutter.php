<?php

declare(strict_types=1);

namespace Postrider;

use Postrider\Model\Recipient;

/**
 * Makes requests of numbers, in order: the same numbers, the same requests under the same ids.
 *
 * @internal
 */
final class RequestCutter
{
    private const MAX_NUMBERS = 5000;
    /** Of the 64 characters of an id: room for the dot and the number of a later request. */
    private const MAX_NAME_CHARACTERS = 56;

    public readonly ?string $givenBatchId;
    private ?string $batchId;
    /** @var array<array-key, mixed>|null */
    private readonly ?array $common;
    private int $index = 0;

    /** @param array<string, mixed> $shared */
    public function __construct(private array $shared, private readonly int $size)
    {
        if ($size < 1 || $size > self::MAX_NUMBERS) {
            throw new \InvalidArgumentException('numbersPerTask takes 1 to ' . self::MAX_NUMBERS);
        }
        $this->batchId = $this->givenBatchId = $shared['batch_id'] ?? null;
        $this->common = $shared['variable_values'] ?? null;
        unset($this->shared['variable_values']);
    }

    /**
     * While the numbers are still being read.
     *
     * @param iterable<string|Recipient> $numbers
     * @return \Generator<int, CutRequest>
     */
    public function requests(iterable $numbers): \Generator
    {
        $chunk = [];
        foreach ($numbers as $number) {
            if (!is_string($number) && !$number instanceof Recipient) {
                throw new \InvalidArgumentException('A number is a phone as text, or a Recipient');
            }
            $chunk[] = $number;
            if (count($chunk) === $this->size) {
                yield $this->cut($chunk);
                $chunk = [];
            }
        }
        if ($chunk !== []) {
            yield $this->cut($chunk);
        }
    }

    /** @param list<string|Recipient> $numbers */
    private function cut(array $numbers): CutRequest
    {
        $this->index++;
        $content = $this->contentOf($numbers);
        $this->batchId ??= 'made-' . self::hash(Wire::encode([$this->shared['template_no'], $content]));
        $names = ['batch_id' => $this->batchId, 'client_request_id' => $this->nameRequest($this->batchId)];
        return new CutRequest($this->index, $this->batchId, $names + $content + $this->shared);
    }

    /**
     * @param list<string|Recipient> $numbers
     * @return array<string, mixed>
     */
    private function contentOf(array $numbers): array
    {
        foreach ($numbers as $number) {
            if ($number instanceof Recipient && $number->variableValues !== null) {
                return ['recipients' => array_map($this->mergeVariables(...), $numbers)];
            }
        }
        $content = ['phones' => array_map(self::phoneOf(...), $numbers)];
        return $this->common === null ? $content : $content + ['variable_values' => $this->common];
    }

    /** @return array<string, mixed> */
    private function mergeVariables(string|Recipient $number): array
    {
        $own = is_string($number) ? null : $number->variableValues;
        $merged = array_merge(self::nameVariables($this->common), self::nameVariables($own));
        return ['phone' => self::phoneOf($number), 'variable_values' => (object) $merged];
    }

    /**
     * The first has the name of the batch, also when others follow: an input that has grown past one request then still
     * meets the id under which it was sent before.
     */
    private function nameRequest(string $batchId): string
    {
        if ($this->index === 1) {
            return $batchId;
        }
        $characters = preg_match_all('/./us', $batchId);
        $name = $characters <= self::MAX_NAME_CHARACTERS ? $batchId : self::hash($batchId);
        return "$name.$this->index";
    }

    private static function phoneOf(string|Recipient $number): string
    {
        return is_string($number) ? $number : $number->phone;
    }

    /**
     * The entries of a list are p1, p2 and so on.
     *
     * @param array<array-key, mixed>|null $values
     * @return array<array-key, mixed>
     */
    private static function nameVariables(?array $values): array
    {
        if ($values === null || !array_is_list($values)) {
            return $values ?? [];
        }
        $named = [];
        foreach ($values as $at => $value) {
            $named['p' . ($at + 1)] = $value;
        }
        return $named;
    }

    private static function hash(string $text): string
    {
        return substr(hash('sha256', $text), 0, 32);
    }
}
