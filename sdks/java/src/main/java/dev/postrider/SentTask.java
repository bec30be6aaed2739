package dev.postrider;

import dev.postrider.model.Task;

/**
 * A task that was sent.
 *
 * @param task the task
 * @param replayed whether it existed before this call: the same had been accepted earlier
 */
public record SentTask(Task task, boolean replayed) {}
