package dev.postrider;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A list that has not been asked for yet. Iterating walks all of it: one request for each page, when it is wanted.
 *
 * @param <T> what is listed
 */
public class Listing<T> implements Iterable<T> {
    /** Of a walk, the largest there is: fewest requests. */
    private static final int WALK_PAGE_SIZE = 100;

    final Core core;
    final String path;
    final Map<String, Object> filters;
    final Duration timeout;
    final Function<Fields, T> read;
    final Integer pageSize;

    Listing(
            Core core, String path, Map<String, Object> filters, Duration timeout, Function<Fields, T> read, Integer pageSize) {
        this.core = core;
        this.path = path;
        this.filters = filters;
        this.timeout = timeout;
        this.read = read;
        this.pageSize = pageSize;
    }

    /**
     * The same list in pages of another size.
     *
     * @param size 1 to 100
     * @return the list
     */
    public Listing<T> pageSize(int size) {
        return new Listing<>(core, path, filters, timeout, read, size);
    }

    /**
     * The first page.
     *
     * @return the page
     */
    public Page<T> page() {
        return fetch(pageSize, null, null);
    }

    /**
     * One page by its number: within the first 10,000 items.
     *
     * @param number from 1
     * @return the page
     */
    public Page<T> page(int number) {
        return fetch(pageSize, number, null);
    }

    /**
     * The page behind another one.
     *
     * @param cursor what {@link Page#nextCursor} gave
     * @return the page
     */
    public Page<T> pageAfter(String cursor) {
        return fetch(pageSize, null, cursor);
    }

    private Page<T> fetch(Integer size, Integer number, String cursor) {
        Map<String, Object> query = new LinkedHashMap<>(filters);
        query.put("page_size", size);
        query.put("page", number);
        query.put("cursor", cursor);
        return core.call(Call.get(path, query, timeout), true).as(fields -> Page.read(fields, read));
    }

    /**
     * Walks the pages.
     *
     * @return each page, asked for when it is wanted
     */
    public Iterable<Page<T>> pages() {
        return PageIterator::new;
    }

    @Override
    public Iterator<T> iterator() {
        return new ItemIterator();
    }

    /**
     * Walks all of it.
     *
     * @return each item; pages are asked for when they are wanted
     */
    public Stream<T> stream() {
        return StreamSupport.stream(spliterator(), false);
    }

    private final class PageIterator implements Iterator<Page<T>> {
        private boolean isBegun;
        private Optional<String> cursor = Optional.empty();

        @Override
        public boolean hasNext() {
            return !isBegun || cursor.isPresent();
        }

        @Override
        public Page<T> next() {
            if (!hasNext()) throw new NoSuchElementException();
            Page<T> page = fetch(pageSize == null ? WALK_PAGE_SIZE : pageSize, null, cursor.orElse(null));
            isBegun = true;
            cursor = page.nextCursor();
            return page;
        }
    }

    private final class ItemIterator implements Iterator<T> {
        private final Iterator<Page<T>> pages = new PageIterator();
        private final Queue<T> items = new ArrayDeque<>();

        @Override
        public boolean hasNext() {
            while (items.isEmpty() && pages.hasNext()) items.addAll(pages.next().items());
            return !items.isEmpty();
        }

        @Override
        public T next() {
            if (!hasNext()) throw new NoSuchElementException();
            return items.remove();
        }
    }
}
