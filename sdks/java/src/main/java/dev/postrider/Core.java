package dev.postrider;

import dev.postrider.ConnectionException.Reason;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.DoubleSupplier;

/** What the calls of one client share: attempts, and how they are repeated. No text of it has the secret. */
final class Core {
    static final String VERSION = "0.2.0";

    private static final String JSON_TYPES = "application/json, application/problem+json";

    private final String baseUrl;
    private final String apiKey;
    private final String apiSecret;
    private final String userAgent;
    private final HttpClient http;
    private final Clock clock;
    private final RetryPolicy retry;
    private final DoubleSupplier random;
    /** Difference between the clock of the service and ours, learned when a timestamp was refused. */
    private volatile Duration skew = Duration.ZERO;

    Core(Client.Builder options, HttpClient http) {
        baseUrl = checkUrl(options.baseUrl);
        apiKey = require("apiKey", options.apiKey);
        apiSecret = require("apiSecret", options.apiSecret);
        userAgent = options.userAgent == null ? "postrider-java/" + VERSION : options.userAgent;
        this.http = http;
        clock = options.clock;
        retry = options.retry;
        random = options.random;
    }

    private static String checkUrl(String url) {
        try {
            URI address = URI.create(url == null ? "" : url.replaceAll("/+$", ""));
            if (address.getHost() != null && String.valueOf(address.getScheme()).matches("(?i)https?")) return address.toString();
        } catch (IllegalArgumentException error) {
            // Said below.
        }
        throw new IllegalArgumentException("baseUrl must be an address such as https://sms.example.com, not " + url);
    }

    /** Most often an environment variable that is not set: better said now than as a refused signature later. */
    private static String require(String name, String value) {
        if (value == null || value.isEmpty()) throw new IllegalArgumentException(name + " is missing");
        return value;
    }

    @Override
    public String toString() {
        return baseUrl + " as " + apiKey;
    }

    Instant now() {
        return clock.now();
    }

    /** Signed with the time as it is now. */
    private HttpRequest buildRequest(Call call, String accept) {
        URI uri = URI.create(baseUrl + call.target());
        String target = uri.getRawPath() + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery());
        long timestamp = clock.now().plus(skew).toEpochMilli();
        byte[] content = call.content();
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .method(call.method(), new SentOnce(content))
                .header("Accept", accept)
                .header("User-Agent", userAgent)
                .header("X-Api-Key", apiKey)
                .header("X-Timestamp", String.valueOf(timestamp))
                .header("X-Sign", Signing.sign(apiSecret, call.method(), target, timestamp, content));
        if (content.length > 0) request.header("Content-Type", "application/json");
        return request.build();
    }

    private <T> CompletableFuture<HttpResponse<T>> begin(HttpRequest request, BodyHandler<T> handler) {
        try {
            return http.sendAsync(request, handler);
        } catch (RejectedExecutionException error) {
            throw new IllegalStateException("The client is closed", error);
        }
    }

    /** One attempt, up to what the handler waits for. */
    private <T> HttpResponse<T> send(Call call, String accept, BodyHandler<T> handler) {
        CompletableFuture<HttpResponse<T>> answer = begin(buildRequest(call, accept), handler);
        try {
            return answer.get(call.timeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException error) {
            throw explain(error.getCause(), call);
        } catch (InterruptedException | TimeoutException error) {
            throw explain(error, call);
        } finally {
            // Ends the connection of an attempt that is given up.
            answer.cancel(true);
        }
    }

    /** What ended an attempt, in our words. */
    ConnectionException explain(Throwable error, Call call) {
        if (error instanceof InterruptedException) {
            Thread.currentThread().interrupt();
            return new ConnectionException(Reason.BROKEN, "Interrupted while waiting for " + baseUrl, error);
        }
        if (isUnreachable(error)) return new ConnectionException(Reason.UNREACHABLE, "Cannot reach " + baseUrl, error);
        if (error instanceof TimeoutException || error instanceof HttpTimeoutException) {
            String message = "No answer from " + baseUrl + " within " + call.timeout().toMillis() + " ms";
            return new ConnectionException(Reason.TIMEOUT, message, error);
        }
        return new ConnectionException(Reason.BROKEN, "The connection to " + baseUrl + " broke", error);
    }

    private static boolean isUnreachable(Throwable error) {
        return error instanceof ConnectException
                || error instanceof HttpConnectTimeoutException
                || error instanceof UnknownHostException
                || error instanceof UnresolvedAddressException;
    }

    private ConnectionException refuse(int status, String expected, Throwable cause) {
        String message = baseUrl + " answered " + status + " with something that is not " + expected
                + "; is it the address of Postrider?";
        return new ConnectionException(Reason.UNREADABLE, message, cause);
    }

    private static boolean isSuccess(HttpResponse<?> response) {
        return response.statusCode() >= 200 && response.statusCode() < 300;
    }

    private Answer attempt(Call call) {
        HttpResponse<byte[]> response = send(call, JSON_TYPES, BodyHandlers.ofByteArray());
        String text = new String(response.body(), StandardCharsets.UTF_8);
        if (!isSuccess(response)) throw new ProblemException(response.statusCode(), response.headers(), text, clock.now());
        try {
            return new Answer(text.isEmpty() ? null : Json.read(text), response.headers());
        } catch (IllegalArgumentException error) {
            throw refuse(response.statusCode(), "JSON", error);
        }
    }

    /** Sets our clock by that of the service, where it refused our time. */
    private boolean learnsSkew(ProblemException error) {
        Optional<Instant> serverTime = error.serverTime();
        if (!error.code().word().equals("timestamp_out_of_range") || serverTime.isEmpty()) return false;
        skew = Duration.between(clock.now(), serverTime.get());
        return true;
    }

    /** One attempt. Only a clock that is off is corrected, and tried again. */
    Answer exchange(Call call) {
        try {
            return attempt(call);
        } catch (ProblemException error) {
            if (!learnsSkew(error)) throw error;
            return attempt(call);
        }
    }

    /** As many attempts as the policy allows and are safe. */
    Answer call(Call call, boolean isRepeatable) {
        for (int count = 1; ; count++) {
            try {
                return exchange(call);
            } catch (PostriderException error) {
                if (!pauses(error, count, isRepeatable)) throw error;
            }
        }
    }

    /** Waits for the next attempt; false where there is none. An interrupt ends the attempts. */
    boolean pauses(PostriderException error, int count, boolean isRepeatable) {
        if (Thread.currentThread().isInterrupted()) return false;
        Optional<Duration> delay = retry.delayAfter(error, count, isRepeatable, random);
        return delay.isPresent() && sleeps(delay.get());
    }

    /** False when the thread was interrupted. */
    boolean sleeps(Duration duration) {
        try {
            clock.sleep(duration);
            return true;
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** An answer of this media type as it comes. One attempt; the time limit is for the wait for each piece. */
    Pieces open(Call call, String mediaType) {
        try {
            return openOnce(call, mediaType);
        } catch (ProblemException error) {
            if (!learnsSkew(error)) throw error;
            return openOnce(call, mediaType);
        }
    }

    private Pieces openOnce(Call call, String mediaType) {
        HttpResponse<Pieces> response = send(call, mediaType + ", application/problem+json", head -> new Pieces());
        Pieces pieces = response.body();
        try {
            if (!isSuccess(response)) {
                String text = new String(readAll(pieces, call), StandardCharsets.UTF_8);
                throw new ProblemException(response.statusCode(), response.headers(), text, clock.now());
            }
            if (!response.headers().firstValue("content-type").orElse("").startsWith(mediaType)) {
                throw refuse(response.statusCode(), mediaType, null);
            }
            return pieces;
        } catch (PostriderException error) {
            pieces.close();
            throw error;
        }
    }

    private byte[] readAll(Pieces pieces, Call call) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        long deadline = System.nanoTime() + call.timeout().toNanos();
        for (byte[] piece = next(pieces, call); piece != null; piece = next(pieces, call)) {
            all.writeBytes(piece);
            if (System.nanoTime() > deadline) throw explain(new TimeoutException(), call);
        }
        return all.toByteArray();
    }

    /** The next piece of an answer; null at its end. */
    byte[] next(Pieces pieces, Call call) {
        try {
            return pieces.next(call.timeout());
        } catch (IOException | InterruptedException | TimeoutException error) {
            throw explain(error, call);
        }
    }
}
