package dev.postrider;

import dev.postrider.model.Word;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;

/** How calls are written. */
final class Calls {
    private static final String UNRESERVED = "-._~";
    private static final String HEX = "0123456789ABCDEF";

    private Calls() {}

    /** A word as it travels. */
    static String writeWord(Object value) {
        if (value instanceof Word word) return word.word();
        if (value instanceof Instant time) return time.truncatedTo(ChronoUnit.MILLIS).toString();
        return String.valueOf(value);
    }

    /** Fills in the parameters of a path, encoded. */
    static String path(String pattern, Object... parameters) {
        StringBuilder path = new StringBuilder();
        int from = 0;
        for (Object parameter : parameters) {
            int at = pattern.indexOf("{}", from);
            path.append(pattern, from, at).append(encode(writeWord(parameter)));
            from = at + 2;
        }
        return path.append(pattern, from, pattern.length()).toString();
    }

    /** A path with its query, without what is null. */
    static String target(String path, Map<String, ?> query) {
        StringBuilder target = new StringBuilder(path);
        char separator = path.indexOf('?') < 0 ? '?' : '&';
        for (Map.Entry<String, ?> parameter : query.entrySet()) {
            if (parameter.getValue() == null) continue;
            target.append(separator).append(encode(parameter.getKey()));
            target.append('=').append(encode(writeWord(parameter.getValue())));
            separator = '&';
        }
        return target.toString();
    }

    private static String encode(String value) {
        StringBuilder encoded = new StringBuilder();
        for (byte one : value.getBytes(StandardCharsets.UTF_8)) {
            char character = (char) (one & 0xff);
            boolean isPlain = character < 128 && Character.isLetterOrDigit(character) || UNRESERVED.indexOf(character) >= 0;
            if (isPlain) encoded.append(character);
            else encoded.append('%').append(HEX.charAt(character >> 4)).append(HEX.charAt(character & 15));
        }
        return encoded.toString();
    }
}
