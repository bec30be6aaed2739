package dev.postrider;

import dev.postrider.ConnectionException.Reason;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A list as a file, in pieces that end where a row ends. It can be read once, with constant memory. A connection that broke is opened
 * again behind the last whole row. Not for several threads.
 */
public final class ListingFile implements AutoCloseable {
    private final FileListing<?> list;
    private final boolean isCsv;
    private final boolean wantsHead;
    private String cursor;
    private long rows;

    private byte[] head;
    private Call call;
    private Pieces pieces;
    private RowCutter cutter;
    private boolean isHeadNext;
    private boolean isOver;
    /** In a row: a row that comes ends them. */
    private int failures;

    private long rowsBefore;

    ListingFile(FileListing<?> list, boolean isCsv, String cursor, boolean wantsHead) {
        this.list = list;
        this.isCsv = isCsv;
        this.cursor = cursor;
        this.wantsHead = wantsHead;
    }

    /**
     * The rows handed out so far.
     *
     * @return how many, without the head
     */
    public long rows() {
        return rows;
    }

    /**
     * That of the last row handed out: what a later file goes on from.
     *
     * @return empty where there was none
     */
    public Optional<String> cursor() {
        return Optional.ofNullable(cursor);
    }

    /**
     * Writes all of it.
     *
     * @param out where to, as UTF-8; it is not closed
     * @return the number of rows
     * @throws IOException when it cannot be written
     */
    public long writeTo(OutputStream out) throws IOException {
        try (this) {
            for (byte[] text = read(); text != null; text = read()) out.write(text);
        }
        return rows;
    }

    /**
     * The next whole rows.
     *
     * @return text that ends where a row ends; empty at the end of the file
     */
    public Optional<String> next() {
        byte[] text = read();
        return text == null ? Optional.empty() : Optional.of(new String(text, StandardCharsets.UTF_8));
    }

    /** Ends the connection, also before the end of the file. */
    @Override
    public void close() {
        isOver = true;
        if (pieces != null) pieces.close();
        pieces = null;
    }

    private byte[] read() {
        while (!isOver) {
            try {
                if (pieces == null) open();
                byte[] piece = list.core.next(pieces, call);
                byte[] text = piece == null ? finish() : take(piece);
                if (text.length > 0) return text;
            } catch (PostriderException error) {
                if (pieces != null) pieces.close();
                pieces = null;
                failures = rows > rowsBefore ? 1 : failures + 1;
                if (!list.core.pauses(error, failures, true)) {
                    isOver = true;
                    throw error;
                }
            }
        }
        return null;
    }

    /** Asks for all that is left. */
    private void open() {
        cutter = new RowCutter(isCsv);
        isHeadNext = isCsv;
        rowsBefore = rows;
        Map<String, Object> query = new LinkedHashMap<>(list.filters);
        query.put("cursor", cursor);
        call = Call.get(list.path, query, list.timeout);
        pieces = list.core.open(call, isCsv ? "text/csv" : "application/x-ndjson");
    }

    private byte[] finish() {
        if (cutter.hasRest()) throw new ConnectionException(Reason.BROKEN, "The file ended within a row", null);
        close();
        return new byte[0];
    }

    private byte[] take(byte[] piece) {
        RowCutter.Cut cut = cutter.push(piece);
        byte[] text = cut.text();
        int count = cut.rows();
        if (count > 0 && isHeadNext) {
            byte[] first = Arrays.copyOf(text, indexOf(text, '\n') + 1);
            // Rows of another version of the service must not get under this head.
            if (head != null && !Arrays.equals(head, first)) {
                throw new ConnectionException(Reason.UNREADABLE, "The columns have changed meanwhile", null);
            }
            if (head != null || !wantsHead) text = Arrays.copyOfRange(text, first.length, text.length);
            head = first;
            isHeadNext = false;
            count--;
        }
        rows += count;
        if (count > 0) cursor = readCursor(new String(cut.last(), StandardCharsets.UTF_8));
        return text;
    }

    private String readCursor(String row) {
        if (isCsv) {
            String line = row.stripTrailing();
            String last = line.substring(line.lastIndexOf(',') + 1);
            return last.isEmpty() ? null : last;
        }
        try {
            return Json.read(row) instanceof Map<?, ?> item && item.get("cursor") instanceof String text ? text : null;
        } catch (IllegalArgumentException error) {
            return null;
        }
    }

    private static int indexOf(byte[] text, char character) {
        int at = 0;
        while (text[at] != character) at++;
        return at;
    }

    /**
     * Cuts a file that comes in pieces of any size where its rows end. Within quotes, a line break is a part of the cell; quotes inside
     * of them are doubled, so counting all of them tells which it is. No byte of another character is a quote or a line break.
     */
    private static final class RowCutter {
        /** Whole rows, as they came: none while none is complete. */
        record Cut(byte[] text, int rows, byte[] last) {}

        private final boolean hasQuotes;
        private boolean isQuoted;
        /** The beginning of a row whose end has not come. */
        private final ByteArrayOutputStream rest = new ByteArrayOutputStream();

        RowCutter(boolean hasQuotes) {
            this.hasQuotes = hasQuotes;
        }

        boolean hasRest() {
            return rest.size() > 0;
        }

        Cut push(byte[] piece) {
            int rows = 0;
            int end = -1;
            int lastStart = 0;
            int before = rest.size();
            for (int at = 0; at < piece.length; at++) {
                if (hasQuotes && piece[at] == '"') isQuoted = !isQuoted;
                if (piece[at] != '\n' || isQuoted) continue;
                rows++;
                lastStart = end < 0 ? 0 : before + end;
                end = at + 1;
            }
            if (rows == 0) {
                rest.writeBytes(piece);
                return new Cut(new byte[0], 0, new byte[0]);
            }
            rest.write(piece, 0, end);
            byte[] text = rest.toByteArray();
            rest.reset();
            rest.write(piece, end, piece.length - end);
            return new Cut(text, rows, Arrays.copyOfRange(text, lastStart, text.length));
        }
    }
}
