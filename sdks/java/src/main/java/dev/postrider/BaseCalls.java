package dev.postrider;

import dev.postrider.model.Given;
import dev.postrider.model.SendRequest;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;

/** What the methods of a {@link Client} are made of. */
abstract class BaseCalls {
    final Core core;
    final Duration timeout;

    BaseCalls(Core core, Duration timeout) {
        this.core = core;
        this.timeout = timeout;
    }

    static Map<String, Object> fieldsOf(Given given) {
        return given == null ? Map.of() : given.fields();
    }

    Answer exchange(String method, String path, Map<String, ?> query, Object body, boolean isRepeatable) {
        String content = body == null ? "" : Json.write(body);
        return core.call(new Call(method, Calls.target(path, query), content, timeout), isRepeatable);
    }

    <T> FileListing<T> list(String path, Given filters, Function<Fields, T> read) {
        return new FileListing<>(core, path, fieldsOf(filters), timeout, read, null);
    }

    SentTask sendOnce(SendRequest request) {
        return new Sender(core, request.fields(), timeout).send();
    }
}
