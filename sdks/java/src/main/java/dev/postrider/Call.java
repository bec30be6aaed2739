package dev.postrider;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

/**
 * One call of the API; the same bytes go out with every attempt.
 *
 * @param method GET, POST, PATCH or DELETE
 * @param target the path with its query, encoded
 * @param body empty where there is none
 * @param timeout for one attempt
 */
record Call(String method, String target, String body, Duration timeout) {
    static Call get(String path, Map<String, ?> query, Duration timeout) {
        return new Call("GET", Calls.target(path, query), "", timeout);
    }

    byte[] content() {
        return body.getBytes(StandardCharsets.UTF_8);
    }
}
