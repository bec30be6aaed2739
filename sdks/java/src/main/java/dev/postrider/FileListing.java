package dev.postrider;

import java.time.Duration;
import java.util.Map;
import java.util.function.Function;

/**
 * A list that can be had as a file too: all of it, oldest first, as it was at one moment.
 *
 * @param <T> what is listed
 */
public final class FileListing<T> extends Listing<T> {
    FileListing(
            Core core, String path, Map<String, Object> filters, Duration timeout, Function<Fields, T> read, Integer pageSize) {
        super(core, path, filters, timeout, read, pageSize);
    }

    @Override
    public FileListing<T> pageSize(int size) {
        return new FileListing<>(core, path, filters, timeout, read, size);
    }

    /**
     * All of it as CSV, with the names of the columns.
     *
     * @return the file, which can be read once
     */
    public ListingFile csv() {
        return csv(null, true);
    }

    /**
     * What is left behind a row, as CSV.
     *
     * @param cursor the last column of that row; null: from the beginning
     * @param hasHead whether the names of the columns come first
     * @return the file, which can be read once
     */
    public ListingFile csv(String cursor, boolean hasHead) {
        return new ListingFile(this, true, cursor, hasHead);
    }

    /**
     * All of it as one JSON object a line: the item, and its {@code cursor}.
     *
     * @return the file, which can be read once
     */
    public ListingFile ndjson() {
        return ndjson(null);
    }

    /**
     * What is left behind a row, as one JSON object a line.
     *
     * @param cursor of that row; null: from the beginning
     * @return the file, which can be read once
     */
    public ListingFile ndjson(String cursor) {
        return new ListingFile(this, false, cursor, true);
    }
}
