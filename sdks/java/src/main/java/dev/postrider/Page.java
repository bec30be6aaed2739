package dev.postrider;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * One page of a list.
 *
 * @param <T> what is listed
 * @param items those of this page
 * @param page its number, from 1
 * @param pageSize how many items a page has
 * @param total all items; exact up to 10,000
 * @param totalIsExact whether it is
 * @param nextCursor where the next page begins; empty on the last one
 */
public record Page<T>(
        List<T> items, long page, long pageSize, long total, boolean totalIsExact, Optional<String> nextCursor) {
    static <T> Page<T> read(Fields fields, Function<Fields, T> item) {
        return new Page<>(
                fields.present(fields.list("items", one -> item.apply(Fields.of(one))), "items"),
                fields.integer("page"),
                fields.integer("page_size"),
                fields.integer("total"),
                fields.flag("total_is_exact"),
                Optional.ofNullable(fields.text("next_cursor")));
    }
}
