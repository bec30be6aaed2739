package dev.postrider;

import dev.postrider.model.ErrorCode;
import dev.postrider.model.ErrorKey;
import dev.postrider.model.Fault;
import dev.postrider.model.FaultCode;
import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The service answered, and the answer was a problem (RFC 9457). Nothing was stored, reserved or sent, unless
 * {@link #isOutcomeUnknown} says that this is not certain.
 */
public final class ProblemException extends PostriderException {
    private static final long serialVersionUID = 1L;
    private static final String UNEXPECTED = "unexpected_answer";

    /** Of the answer. */
    private final int status;

    /** The fields of the body; empty where it was no JSON. */
    private final transient Map<?, ?> body;

    private final transient String requestId;
    private final transient Duration retryAfter;
    private final transient List<Fault> errors;

    ProblemException(int status, HttpHeaders headers, String text, Instant now) {
        this(status, headers, readBody(text), now);
    }

    private ProblemException(int status, HttpHeaders headers, Map<?, ?> body, Instant now) {
        super(describe(status, headers, body), null);
        this.status = status;
        this.body = body;
        this.requestId = findRequestId(headers, body);
        this.retryAfter = headers.firstValue("retry-after").map(value -> readRetryAfter(value, now)).orElse(null);
        this.errors = readFaults(body);
    }

    private static Map<?, ?> readBody(String text) {
        try {
            if (Json.read(text) instanceof Map<?, ?> map) return map;
        } catch (IllegalArgumentException error) {
            // The page of a proxy; the status alone has to do.
        }
        return Map.of();
    }

    private static String describe(int status, HttpHeaders headers, Map<?, ?> body) {
        StringBuilder text = new StringBuilder().append(status).append(' ').append(text(body, "code", UNEXPECTED));
        text.append(": ").append(text(body, "detail", text(body, "title", "HTTP " + status)));
        String requestId = findRequestId(headers, body);
        if (requestId != null) text.append(" [request ").append(requestId).append(']');
        for (Fault fault : readFaults(body)) {
            text.append("\n  ").append(fault.pointer().isEmpty() ? "(body)" : fault.pointer());
            text.append(": ").append(fault.message());
        }
        return text.toString();
    }

    private static String findRequestId(HttpHeaders headers, Map<?, ?> body) {
        return text(body, "request_id", headers.firstValue("x-request-id").orElse(null));
    }

    private static String text(Map<?, ?> body, String name, String otherwise) {
        return body.get(name) instanceof String text ? text : otherwise;
    }

    private static Map<String, Object> params(Map<?, ?> body) {
        Map<String, Object> params = new LinkedHashMap<>();
        if (body.get("params") instanceof Map<?, ?> map) map.forEach((name, value) -> params.put((String) name, value));
        return Collections.unmodifiableMap(params);
    }

    private static List<Fault> readFaults(Map<?, ?> body) {
        if (!(body.get("errors") instanceof List<?> items)) return List.of();
        return items.stream().filter(Map.class::isInstance).map(one -> readFault((Map<?, ?>) one)).toList();
    }

    private static Fault readFault(Map<?, ?> fault) {
        FaultCode code = new FaultCode(text(fault, "code", ""));
        ErrorKey key = new ErrorKey(text(fault, "key", ""));
        return new Fault(text(fault, "pointer", ""), code, text(fault, "message", ""), key, params(fault));
    }

    /** In seconds, or an HTTP date; null for anything else. */
    private static Duration readRetryAfter(String value, Instant now) {
        Duration duration;
        try {
            if (value.matches("\\d{1,9}(\\.\\d{1,9})?")) {
                duration = Duration.ofMillis(Math.round(Double.parseDouble(value) * 1000));
            } else {
                duration = Duration.between(now, readHttpDate(value));
            }
        } catch (DateTimeException error) {
            return null;
        }
        return duration.isNegative() ? Duration.ZERO : duration;
    }

    static Instant readHttpDate(String value) {
        return ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
    }

    /**
     * The status of the answer.
     *
     * @return such as 400
     */
    public int status() {
        return status;
    }

    /**
     * What kind of problem it is.
     *
     * @return {@code unexpected_answer} where something else than the service answered
     */
    public ErrorCode code() {
        return new ErrorCode(text(body, "code", UNEXPECTED));
    }

    /**
     * Which sentence {@link #detail} is: translate by it. Where there are {@link #errors}, they have their own.
     *
     * @return the key
     */
    public ErrorKey key() {
        return new ErrorKey(text(body, "key", UNEXPECTED));
    }

    /**
     * What is filled into the sentence.
     *
     * @return texts and numbers by their names
     */
    public Map<String, Object> params() {
        return params(body);
    }

    /**
     * The problem in a few words.
     *
     * @return the title
     */
    public String title() {
        return text(body, "title", "HTTP " + status);
    }

    /**
     * The problem in a sentence.
     *
     * @return empty where nothing more was said
     */
    public Optional<String> detail() {
        return Optional.ofNullable(text(body, "detail", null));
    }

    /**
     * Name it when you ask for help: it is in the logs of the service.
     *
     * @return empty where the service was not reached
     */
    public Optional<String> requestId() {
        return Optional.ofNullable(requestId);
    }

    /**
     * What was wrong with the request.
     *
     * @return at most 20 faults
     */
    public List<Fault> errors() {
        return errors;
    }

    /**
     * When to try again.
     *
     * @return empty where the service did not say
     */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }

    /**
     * The clock of the service, with {@code timestamp_out_of_range}.
     *
     * @return empty with any other code
     */
    public Optional<Instant> serverTime() {
        Object value = body.get("server_time");
        if (value instanceof String text && text.matches("\\d{1,15}")) value = Long.valueOf(text);
        if (value instanceof Long millis) return Optional.of(Instant.ofEpochMilli(millis));
        try {
            return value instanceof String text ? Optional.of(Fields.readTime(text)) : Optional.empty();
        } catch (IllegalArgumentException error) {
            return Optional.empty();
        }
    }

    /**
     * False when something in between answered, such as a proxy: then nothing is certain.
     *
     * @return whether it was the service
     */
    public boolean isFromService() {
        return body.get("code") instanceof String;
    }

    /**
     * The service lost its database before it learned whether the request was carried out.
     *
     * @return whether that is so
     */
    public boolean isOutcomeUnknown() {
        return "unknown".equals(body.get("outcome"));
    }
}
