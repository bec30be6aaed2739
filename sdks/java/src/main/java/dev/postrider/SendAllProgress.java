package dev.postrider;

import dev.postrider.model.Task;

/**
 * A task that was just accepted.
 *
 * @param task the task
 * @param index the position of its request, from 1
 * @param replayed whether it had been accepted before
 * @param summary the sums so far
 */
public record SendAllProgress(Task task, int index, boolean replayed, SendAllSummary summary) {}
