<?php

declare(strict_types=1);

namespace Postrider;

/**
 * One page of a list.
 *
 * @template T of object
 */
final class Page
{
    /**
     * @param list<T> $items
     * @param int $total Exact up to 10,000, which `totalIsExact` says.
     * @param ?string $nextCursor Null on the last page.
     */
    private function __construct(
        public readonly array $items,
        public readonly int $page,
        public readonly int $pageSize,
        public readonly int $total,
        public readonly bool $totalIsExact,
        public readonly ?string $nextCursor,
    ) {
    }

    /**
     * @template U of object
     * @param class-string<U> $model
     * @return self<U>
     */
    public static function read(string $model, mixed $value): self
    {
        try {
            $wire = Read::map($value);
            return new self(
                array_map(fn ($item) => Read::answer($model, $item), Read::list($wire['items'] ?? null)),
                Read::integer($wire['page'] ?? null),
                Read::integer($wire['page_size'] ?? null),
                Read::integer($wire['total'] ?? null),
                Read::boolean($wire['total_is_exact'] ?? null),
                isset($wire['next_cursor']) ? Read::text($wire['next_cursor']) : null,
            );
        } catch (\UnexpectedValueException $error) {
            throw new ConnectionException('unreadable', "The answer is no page: {$error->getMessage()}");
        }
    }
}
