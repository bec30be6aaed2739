<?php

declare(strict_types=1);

namespace Postrider;

/**
 * A list as a file: text in pieces that end where a row ends, fetched no faster than it is read. It can be read once.
 *
 * A broken connection is opened again behind the last whole row.
 *
 * @implements \IteratorAggregate<int, string>
 */
final class ListingFile implements \IteratorAggregate
{
    private const MEDIA_TYPES = ['csv' => 'text/csv', 'ndjson' => 'application/x-ndjson'];

    private int $rows = 0;
    private ?string $head = null;
    /** @var \Generator<int, string> */
    private readonly \Generator $text;

    /**
     * @param array<string, mixed> $query
     * @param 'csv'|'ndjson' $type
     */
    public function __construct(
        private readonly Core $core,
        private readonly string $path,
        private readonly array $query,
        private readonly string $type,
        private ?string $cursor,
        private readonly bool $wantsHead,
        private readonly ?float $timeout,
    ) {
        $this->text = $this->read();
    }

    /** The rows handed out so far. */
    public function rows(): int
    {
        return $this->rows;
    }

    /** That of the last row handed out: what a later file goes on from. */
    public function cursor(): ?string
    {
        return $this->cursor;
    }

    /** @return \Generator<int, string> */
    public function getIterator(): \Generator
    {
        return $this->text;
    }

    /**
     * Writes all of it, and returns the number of rows.
     *
     * @param resource $file Open for writing.
     */
    public function writeTo($file): int
    {
        foreach ($this->text as $text) {
            if (fwrite($file, $text) !== strlen($text)) {
                throw new \RuntimeException('The file takes no more');
            }
        }
        return $this->rows;
    }

    /** @return \Generator<int, string> */
    private function read(): \Generator
    {
        $failures = 0;
        while (true) {
            $rowsBefore = $this->rows;
            try {
                yield from $this->readOnce();
                return;
            } catch (PostriderException $error) {
                $failures = $this->rows > $rowsBefore ? 1 : $failures + 1;
                $delay = $this->core->retry->findDelay($error, $failures, true, $this->core->random);
                if ($delay === null) {
                    throw $error;
                }
                $this->core->clock->sleep($delay);
            }
        }
    }

    /** @return \Generator<int, string> */
    private function readOnce(): \Generator
    {
        $cutter = new RowCutter($this->type === 'csv');
        $isHeadNext = $this->type === 'csv';
        $query = ['cursor' => $this->cursor] + $this->query;
        $call = Call::make('GET', $this->path, $query, null, $this->timeout, self::MEDIA_TYPES[$this->type]);
        foreach ($this->core->stream($call) as $piece) {
            [$text, $count, $last] = $cutter->push($piece);
            if ($count === 0) {
                continue;
            }
            if ($isHeadNext) {
                $text = $this->takeHead($text);
                $isHeadNext = false;
                $count--;
            }
            $this->rows += $count;
            if ($count > 0) {
                $this->cursor = $this->readCursor($last);
            }
            if ($text !== '') {
                yield $text;
            }
        }
        if ($cutter->rest !== '') {
            throw new ConnectionException('broken', 'The file ended within a row');
        }
    }

    /** The text without its first row, where that is not wanted. */
    private function takeHead(string $text): string
    {
        $first = substr($text, 0, (int) strpos($text, "\n") + 1);
        $isFirstTime = $this->head === null;
        $this->head ??= $first;
        if ($this->head !== $first) {
            // Rows of another version of the service must not get under this head.
            throw new ConnectionException('unreadable', 'The columns have changed meanwhile');
        }
        return $isFirstTime && $this->wantsHead ? $text : substr($text, strlen($first));
    }

    /** Where to go on behind a row: its last column or field. */
    private function readCursor(string $row): ?string
    {
        $row = rtrim($row);
        $cursor = $this->type === 'csv'
            ? substr($row, (int) strrpos(",$row", ','))
            : (json_decode($row, true)['cursor'] ?? null);
        return is_string($cursor) && preg_match('/^[\w-]+$/D', $cursor) === 1 ? $cursor : null;
    }
}
