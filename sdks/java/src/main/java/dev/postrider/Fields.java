package dev.postrider;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The fields of a JSON object by their types. Null where one is null or missing, except for numbers and flags that are always there.
 * What does not fit is an IllegalArgumentException.
 */
final class Fields {
    private final Map<?, ?> fields;

    private Fields(Map<?, ?> fields) {
        this.fields = fields;
    }

    static Fields of(Object value) {
        if (value instanceof Map<?, ?> map) return new Fields(map);
        throw new IllegalArgumentException("not an object");
    }

    Object value(String name) {
        return fields.get(name);
    }

    private <T> T as(Class<T> type, String name) {
        Object value = fields.get(name);
        if (value == null || type.isInstance(value)) return type.cast(value);
        throw new IllegalArgumentException(name + " is not of the type that it should be");
    }

    <T> T present(T value, String name) {
        if (value == null) throw new IllegalArgumentException(name + " is missing");
        return value;
    }

    String text(String name) {
        return as(String.class, name);
    }

    Long integerOrNull(String name) {
        return as(Long.class, name);
    }

    long integer(String name) {
        return present(integerOrNull(name), name);
    }

    Boolean flagOrNull(String name) {
        return as(Boolean.class, name);
    }

    boolean flag(String name) {
        return present(flagOrNull(name), name);
    }

    BigDecimal decimal(String name) {
        String text = text(name);
        return text == null ? null : new BigDecimal(text);
    }

    Instant time(String name) {
        String text = text(name);
        return text == null ? null : readTime(text);
    }

    <T> T word(String name, Function<String, T> make) {
        String text = text(name);
        return text == null ? null : make.apply(text);
    }

    <T> T record(String name, Function<Fields, T> read) {
        Object value = fields.get(name);
        return value == null ? null : read.apply(of(value));
    }

    <T> List<T> list(String name, Function<Object, T> read) {
        List<?> items = as(List.class, name);
        if (items == null) return null;
        List<T> result = new ArrayList<>(items.size());
        for (Object item : items) result.add(read.apply(item));
        return Collections.unmodifiableList(result);
    }

    <K, V> Map<K, V> map(String name, Function<String, K> key, Function<Object, V> read) {
        Map<?, ?> entries = as(Map.class, name);
        if (entries == null) return null;
        Map<K, V> result = new LinkedHashMap<>();
        entries.forEach((word, value) -> result.put(key.apply((String) word), read.apply(value)));
        return Collections.unmodifiableMap(result);
    }

    static String asText(Object value) {
        if (value == null || value instanceof String) return (String) value;
        throw new IllegalArgumentException("not a text");
    }

    static Long asInteger(Object value) {
        if (value == null || value instanceof Long) return (Long) value;
        throw new IllegalArgumentException("not a whole number");
    }

    static Object asIs(Object value) {
        return value;
    }

    /** RFC 3339. */
    static Instant readTime(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException error) {
            throw new IllegalArgumentException("not a time: " + text, error);
        }
    }
}
