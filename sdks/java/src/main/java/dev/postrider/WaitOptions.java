package dev.postrider;

import dev.postrider.model.TaskDetail;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * How a task is waited for.
 *
 * @param timeout of the whole wait; empty: none
 * @param until what ends the wait beside the end of the task; empty: that the task waits for its caller
 * @param onProgress called with the task whenever it has changed
 */
public record WaitOptions(
        Optional<Duration> timeout, Optional<Predicate<TaskDetail>> until, Consumer<TaskDetail> onProgress) {
    /** Without a limit, until the task has finished or waits for its caller. */
    public static final WaitOptions DEFAULT = new WaitOptions(Optional.empty(), Optional.empty(), task -> {});

    /**
     * With a limit: a {@link WaitTimeoutException} ends the wait.
     *
     * @param limit of the whole wait
     * @return the options
     */
    public static WaitOptions within(Duration limit) {
        return new WaitOptions(Optional.of(limit), Optional.empty(), DEFAULT.onProgress);
    }

    /**
     * With another end.
     *
     * @param condition what ends the wait
     * @return the options
     */
    public WaitOptions withUntil(Predicate<TaskDetail> condition) {
        return new WaitOptions(timeout, Optional.of(condition), onProgress);
    }

    /**
     * With someone to tell.
     *
     * @param listener called with the task whenever it has changed
     * @return the options
     */
    public WaitOptions withProgress(Consumer<TaskDetail> listener) {
        return new WaitOptions(timeout, until, listener);
    }
}
