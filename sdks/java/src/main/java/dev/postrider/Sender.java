package dev.postrider;

import dev.postrider.model.Task;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Sends once. After a failure that leaves open whether the request arrived, the task list is asked for its id before anything is sent
 * again, and what is sent again is the same request under the same id.
 */
final class Sender {
    private static final String SEND_PATH = "/openapi/v1/messages/send/";
    private static final String TASKS_PATH = "/openapi/v1/messages/tasks/";
    /** Clocks of two machines of one service, and the whole seconds of {@code Date}, differ by less than this. */
    private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(5);

    private final Core core;
    private final Duration timeout;
    private final Call call;
    private final String id;
    private final boolean isIdOurs;
    private final Instant started;
    private boolean isUncertain;

    Sender(Core core, Map<String, Object> fields, Duration timeout) {
        this.core = core;
        this.timeout = timeout;
        isIdOurs = !(fields.get("client_request_id") instanceof String);
        id = isIdOurs ? UUID.randomUUID().toString() : (String) fields.get("client_request_id");
        Map<String, Object> request = new LinkedHashMap<>(fields);
        request.put("client_request_id", id);
        call = new Call("POST", SEND_PATH, Json.write(request), timeout);
        started = core.now();
    }

    SentTask send() {
        for (int count = 1; ; count++) {
            try {
                return attempt();
            } catch (PostriderException error) {
                boolean hasFailed = error instanceof ProblemException problem && problem.status() >= 500;
                isUncertain |= hasFailed || !RetryPolicy.isCertainlyNotDone(error);
                if (!core.pauses(error, count, true)) throw name(error);
            }
        }
    }

    private PostriderException name(PostriderException error) {
        if (!isUncertain || !(error instanceof ConnectionException lost)) return error;
        return new ConnectionException(lost.reason(), lost.getMessage(), lost, id);
    }

    private SentTask attempt() {
        if (isUncertain) {
            Optional<Task> original = findOriginal();
            if (original.isPresent()) return new SentTask(original.get(), false);
        }
        Answer answer = core.exchange(call);
        boolean isReplayed = answer.headers().firstValue("idempotent-replayed").orElse("").equals("true");
        // A replay of a lost attempt under our own id is news to the caller.
        return new SentTask(answer.as(ModelReader::task), isReplayed && !(isUncertain && isIdOurs));
    }

    private Optional<Task> findOriginal() {
        Map<String, Object> query = new LinkedHashMap<>();
        query.put("client_request_id", id);
        query.put("page_size", 1);
        Answer answer = core.exchange(Call.get(TASKS_PATH, query, timeout));
        List<Task> found = answer.as(fields -> Page.read(fields, ModelReader::task)).items();
        if (found.isEmpty()) return Optional.empty();
        // An id that the caller chose may name an older task of another content. Only the service can tell: unless the task was plainly
        // made by this call, the same request goes out again.
        return isIdOurs || isMadeNow(answer, found.get(0)) ? Optional.of(found.get(0)) : Optional.empty();
    }

    /** By the clock of the service. */
    private boolean isMadeNow(Answer answer, Task task) {
        try {
            Instant date = ProblemException.readHttpDate(answer.headers().firstValue("date").orElse(""));
            Duration age = Duration.between(task.createdAt(), date);
            return age.compareTo(Duration.between(started, core.now()).plus(CLOCK_TOLERANCE)) <= 0;
        } catch (DateTimeException error) {
            return false;
        }
    }
}
