package dev.postrider;

import java.net.http.HttpHeaders;
import java.util.function.Function;

/** What a call was answered with, when that was a success. */
record Answer(Object value, HttpHeaders headers) {
    <T> T as(Function<Fields, T> read) {
        try {
            return read.apply(Fields.of(value));
        } catch (IllegalArgumentException error) {
            String message = "The answer is not what it should be: " + error.getMessage();
            throw new ConnectionException(ConnectionException.Reason.UNREADABLE, message, error);
        }
    }
}
