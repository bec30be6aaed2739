package dev.postrider;

import dev.postrider.model.Given;
import dev.postrider.model.Word;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON as maps, lists, texts, numbers (Long, BigDecimal), Boolean and null. */
final class Json {
    private static final int MAX_DEPTH = 200;
    private static final int MAX_LONG_DIGITS = 18;

    private final String text;
    private int at;
    private int depth;

    private Json(String text) {
        this.text = text;
    }

    /** Throws an IllegalArgumentException where the text is no JSON. */
    static Object read(String text) {
        Json json = new Json(text);
        Object value = json.readValue();
        json.skipSpace();
        if (json.at != text.length()) throw json.fail();
        return value;
    }

    /** Compact, and with characters as they are: as JavaScript writes it. */
    static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private IllegalArgumentException fail() {
        return new IllegalArgumentException("no JSON at character " + at);
    }

    private void skipSpace() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
    }

    private char peek() {
        skipSpace();
        if (at >= text.length()) throw fail();
        return text.charAt(at);
    }

    private void expect(char character) {
        if (peek() != character) throw fail();
        at++;
    }

    private boolean takes(char character) {
        if (peek() != character) return false;
        at++;
        return true;
    }

    private Object readValue() {
        if (++depth > MAX_DEPTH) throw fail();
        Object value = switch (peek()) {
            case '{' -> readObject();
            case '[' -> readList();
            case '"' -> readText();
            case 't' -> readName("true", Boolean.TRUE);
            case 'f' -> readName("false", Boolean.FALSE);
            case 'n' -> readName("null", null);
            default -> readNumber();
        };
        depth--;
        return value;
    }

    private Object readName(String name, Object value) {
        if (!text.startsWith(name, at)) throw fail();
        at += name.length();
        return value;
    }

    private Map<String, Object> readObject() {
        Map<String, Object> fields = new LinkedHashMap<>();
        expect('{');
        if (takes('}')) return fields;
        do {
            if (peek() != '"') throw fail();
            String name = readText();
            expect(':');
            fields.put(name, readValue());
        } while (takes(','));
        expect('}');
        return fields;
    }

    private List<Object> readList() {
        List<Object> items = new ArrayList<>();
        expect('[');
        if (takes(']')) return items;
        do {
            items.add(readValue());
        } while (takes(','));
        expect(']');
        return items;
    }

    private String readText() {
        StringBuilder value = new StringBuilder();
        at++;
        while (true) {
            if (at >= text.length()) throw fail();
            char character = text.charAt(at++);
            if (character == '"') return value.toString();
            if (character < ' ') throw fail();
            value.append(character == '\\' ? readEscape() : character);
        }
    }

    private char readEscape() {
        if (at >= text.length()) throw fail();
        char character = text.charAt(at++);
        return switch (character) {
            case '"', '\\', '/' -> character;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> readHex();
            default -> throw fail();
        };
    }

    private char readHex() {
        int value = 0;
        for (int end = at + 4; at < end; at++) {
            int digit = at < text.length() ? Character.digit(text.charAt(at), 16) : -1;
            if (digit < 0) throw fail();
            value = value * 16 + digit;
        }
        return (char) value;
    }

    private Object readNumber() {
        int start = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) at++;
        String number = text.substring(start, at);
        try {
            boolean isLong = number.length() <= MAX_LONG_DIGITS && number.matches("-?\\d+");
            if (isLong) return Long.valueOf(number);
            return new BigDecimal(number);
        } catch (NumberFormatException error) {
            throw fail();
        }
    }

    private static void write(Object value, StringBuilder out) {
        if (value == null || value instanceof Boolean) out.append(value);
        else if (value instanceof Number number) out.append(writeNumber(number));
        else if (value instanceof Map<?, ?> map) writeObject(map, out);
        else if (value instanceof Collection<?> items) writeList(items, out);
        else if (value instanceof Given given) writeObject(given.fields(), out);
        else if (value instanceof CharSequence || value instanceof Word || value instanceof Instant) {
            writeText(Calls.writeWord(value), out);
        } else throw new IllegalArgumentException(value.getClass().getName() + " cannot be sent");
    }

    private static String writeNumber(Number value) {
        if (!(value instanceof Double || value instanceof Float)) return value.toString();
        // A whole number without its ".0"; refuses what is no number.
        BigDecimal number = new BigDecimal(value.toString()).stripTrailingZeros();
        return number.scale() <= 0 ? number.toPlainString() : number.toString();
    }

    private static void writeObject(Map<?, ?> map, StringBuilder out) {
        String separator = "{";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            out.append(separator);
            writeText(Calls.writeWord(entry.getKey()), out);
            out.append(':');
            write(entry.getValue(), out);
            separator = ",";
        }
        out.append(map.isEmpty() ? "{}" : "}");
    }

    private static void writeList(Collection<?> items, StringBuilder out) {
        String separator = "[";
        for (Object item : items) {
            out.append(separator);
            write(item, out);
            separator = ",";
        }
        out.append(items.isEmpty() ? "[]" : "]");
    }

    private static void writeText(String value, StringBuilder out) {
        out.append('"');
        for (int at = 0; at < value.length(); at++) {
            char character = value.charAt(at);
            switch (character) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\b' -> out.append("\\b");
                case '\f' -> out.append("\\f");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (character < ' ' || isHalf(value, at)) out.append(String.format("\\u%04x", (int) character));
                    else out.append(character);
                }
            }
        }
        out.append('"');
    }

    /** Half of a pair whose other half is not there: it has no bytes of its own. */
    private static boolean isHalf(String value, int at) {
        char character = value.charAt(at);
        if (Character.isHighSurrogate(character)) {
            return at + 1 == value.length() || !Character.isLowSurrogate(value.charAt(at + 1));
        }
        return Character.isLowSurrogate(character) && (at == 0 || !Character.isHighSurrogate(value.charAt(at - 1)));
    }
}
