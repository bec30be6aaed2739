<?php

declare(strict_types=1);

namespace Postrider;

/**
 * A list that has not been asked for yet. Iterating walks all of it, one request for each page, when it is wanted.
 *
 * @template T of object
 * @implements \IteratorAggregate<int, T>
 */
class Listing implements \IteratorAggregate
{
    /** Of a walk, the largest there is: fewest requests. */
    private const WALK_PAGE_SIZE = 100;

    /**
     * @param class-string<T> $model
     * @param array<string, mixed> $query
     */
    public function __construct(
        protected readonly Core $core,
        private readonly string $model,
        protected readonly string $path,
        protected readonly array $query,
        private readonly ?int $pageSize,
        protected readonly ?float $timeout,
    ) {
    }

    /** @return \Generator<int, T> */
    public function getIterator(): \Generator
    {
        foreach ($this->pages() as $page) {
            foreach ($page->items as $item) {
                yield $item;
            }
        }
    }

    /** @return \Generator<int, Page<T>> */
    public function pages(): \Generator
    {
        $cursor = null;
        do {
            $page = $this->fetch(['page_size' => $this->pageSize ?? self::WALK_PAGE_SIZE, 'cursor' => $cursor]);
            yield $page;
            $cursor = $page->nextCursor;
        } while ($cursor !== null);
    }

    /**
     * One page: the first, one by number (the first 10,000 items), or by cursor.
     *
     * @return Page<T>
     */
    public function page(?int $page = null, ?string $cursor = null): Page
    {
        return $this->fetch(['page_size' => $this->pageSize, 'page' => $page, 'cursor' => $cursor]);
    }

    /**
     * @param array<string, mixed> $position
     * @return Page<T>
     */
    private function fetch(array $position): Page
    {
        $call = Call::make('GET', $this->path, $position + $this->query, timeout: $this->timeout);
        return Page::read($this->model, $this->core->run($this->core->call($call, true))->value);
    }
}
