package dev.postrider;

import dev.postrider.model.TaskDetail;
import java.time.Duration;
import java.util.Optional;

/** The time that was given to a wait is over. What was accepted continues by itself. */
public final class WaitTimeoutException extends PostriderException {
    private static final long serialVersionUID = 1L;

    /** As last seen. */
    private final transient TaskDetail task;

    WaitTimeoutException(TaskDetail task, Duration timeout, Throwable cause) {
        super(describe(task) + " after " + timeout.toMillis() + " ms; what was accepted continues by itself", cause);
        this.task = task;
    }

    private static String describe(TaskDetail task) {
        return task == null ? "No answer about the task" : task.taskNo() + " is " + task.stage();
    }

    /**
     * The task as it was last seen.
     *
     * @return empty where the service did not answer even once
     */
    public Optional<TaskDetail> task() {
        return Optional.ofNullable(task);
    }
}
