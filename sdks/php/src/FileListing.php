<?php

declare(strict_types=1);

namespace Postrider;

/**
 * A list that can be had as a file too: all of it, oldest first, as it was at one moment.
 *
 * @template T of object
 * @extends Listing<T>
 */
final class FileListing extends Listing
{
    /** With the names of the columns, unless `head` is false; behind the row of `cursor`. */
    public function csv(?string $cursor = null, bool $head = true): ListingFile
    {
        return new ListingFile($this->core, $this->path, $this->query, 'csv', $cursor, $head, $this->timeout);
    }

    /** One JSON object a line: the item and its `cursor`. */
    public function ndjson(?string $cursor = null): ListingFile
    {
        return new ListingFile($this->core, $this->path, $this->query, 'ndjson', $cursor, true, $this->timeout);
    }
}
