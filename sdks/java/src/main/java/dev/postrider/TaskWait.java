package dev.postrider;

import dev.postrider.ConnectionException.Reason;
import dev.postrider.model.AccountingState;
import dev.postrider.model.Stage;
import dev.postrider.model.TaskDetail;
import dev.postrider.model.WaitsFor;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Follows a task until it has finished, or waits for its caller. */
final class TaskWait {
    /** What a task waits for that needs an action; not certain where the next step may only be late. */
    private record CallerWait(WaitsFor waitsFor, boolean isCertain) {}

    private static final Set<Stage> FINAL_STAGES = Set.of(Stage.COMPLETED, Stage.FAILED, Stage.CANCELLED);
    private static final Duration FIRST_POLL = Duration.ofMillis(150);
    private static final Duration MAX_POLL = Duration.ofSeconds(5);
    /** Automatic steps follow at once; one that does not follow within this time needs a call. */
    private static final Duration GRACE = Duration.ofSeconds(3);

    private final Core core;
    private final Duration callTimeout;
    private final String target;
    private final WaitOptions options;
    private final Instant started;
    private TaskDetail last;

    TaskWait(Core core, Duration callTimeout, String taskNo, WaitOptions options) {
        this.core = core;
        this.callTimeout = callTimeout;
        this.options = options;
        target = Calls.path("/openapi/v1/messages/tasks/{}/", taskNo);
        started = core.now();
    }

    private static CallerWait findCallerWait(TaskDetail task) {
        WaitsFor said = task.waitsFor();
        if (WaitsFor.RESUME.equals(said) || WaitsFor.LIMIT.equals(said)) return new CallerWait(said, true);
        // It goes on by itself at its time.
        if (WaitsFor.SEND_AT.equals(said) || WaitsFor.WINDOW.equals(said)) return null;
        if (AccountingState.INSUFFICIENT_FUNDS.equals(task.accountingState())) return new CallerWait(WaitsFor.FUNDS, true);
        if (Stage.QUEUED.equals(task.stage())) return task.autoPrepare() ? null : new CallerWait(WaitsFor.PREPARE, false);
        if (!Stage.PREPARED.equals(task.stage())) return null;
        return AccountingState.NONE.equals(task.accountingState())
                ? new CallerWait(WaitsFor.FREEZE, !task.autoFreeze())
                : new CallerWait(WaitsFor.SUBMIT, !task.autoSubmit());
    }

    TaskDetail run() {
        Object seen = null;
        Instant seenAt = started;
        Duration pause = FIRST_POLL;
        while (true) {
            Answer answer = fetch();
            last = answer.as(ModelReader::taskDetail);
            boolean isChanged = !answer.value().equals(seen);
            seen = answer.value();
            pause = isChanged ? FIRST_POLL : min(MAX_POLL, pause.multipliedBy(3).dividedBy(2));
            if (isChanged) {
                seenAt = core.now();
                options.onProgress().accept(last);
            }
            if (FINAL_STAGES.contains(last.stage()) || options.until().map(until -> until.test(last)).orElse(false)) {
                return withWait(answer, null);
            }
            CallerWait wait = findCallerWait(last);
            boolean isOver = wait != null && (wait.isCertain || Duration.between(seenAt, core.now()).compareTo(GRACE) >= 0);
            // With `until` the caller has said what the wait is for; a task may still get there.
            if (isOver && options.until().isEmpty()) return withWait(answer, wait.waitsFor);
            if (!core.sleeps(min(pause, left()))) {
                throw new ConnectionException(Reason.BROKEN, "Interrupted while waiting for " + last.taskNo(), null);
            }
        }
    }

    private Answer fetch() {
        Duration left = left();
        if (left.isZero()) throw timeIsOver(null);
        try {
            return core.call(new Call("GET", target, "", min(callTimeout, left)), true);
        } catch (ConnectionException error) {
            if (left().isZero()) throw timeIsOver(error);
            throw error;
        }
    }

    private WaitTimeoutException timeIsOver(Throwable cause) {
        return new WaitTimeoutException(last, options.timeout().orElse(Duration.ZERO), cause);
    }

    /** Of the whole wait; without a limit, more than any pause or attempt takes. */
    private Duration left() {
        if (options.timeout().isEmpty()) return Duration.ofDays(1);
        Duration left = options.timeout().get().minus(Duration.between(started, core.now()));
        return left.isNegative() ? Duration.ZERO : left;
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    private static TaskDetail withWait(Answer answer, WaitsFor waitsFor) {
        Map<String, Object> fields = new LinkedHashMap<>();
        ((Map<?, ?>) answer.value()).forEach((name, value) -> fields.put((String) name, value));
        fields.put("waits_for", waitsFor == null ? null : waitsFor.word());
        return ModelReader.taskDetail(Fields.of(fields));
    }
}
