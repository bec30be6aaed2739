package dev.postrider.model;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a caller gives: a request, or filters. Made by a builder, and never changed. */
public abstract class Given {
    private final Map<String, Object> fields;

    Given(Builder builder, String... required) {
        for (String name : required) {
            if (builder.fields.get(name) == null) throw new IllegalArgumentException(name + " is missing");
        }
        fields = Collections.unmodifiableMap(new LinkedHashMap<>(builder.fields));
    }

    /**
     * The fields that were given, by their names as they travel.
     *
     * @return a map that cannot be changed
     */
    public Map<String, Object> fields() {
        return fields;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Given given && given.getClass() == getClass() && given.fields.equals(fields);
    }

    @Override
    public int hashCode() {
        return fields.hashCode();
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + fields;
    }

    /** Notes what is given. */
    abstract static class Builder {
        private final Map<String, Object> fields = new LinkedHashMap<>();

        /** Null is the same as not given. */
        void put(String name, Object value) {
            if (value == null) fields.remove(name);
            else putNullable(name, value);
        }

        /** Null is a value. */
        void putNullable(String name, Object value) {
            fields.put(name, copy(value));
        }

        void putAll(Given given) {
            fields.putAll(given.fields);
        }

        private static Object copy(Object value) {
            if (value instanceof Collection<?> items) return Collections.unmodifiableList(new ArrayList<>(items));
            if (value instanceof Map<?, ?> map) return Collections.unmodifiableMap(new LinkedHashMap<>(map));
            return value;
        }
    }
}
