package dev.postrider;

import java.util.Optional;

/**
 * What has been accepted so far.
 *
 * @param batchId the batch of all tasks; empty where there were no numbers
 * @param tasks accepted tasks
 * @param numbers the numbers in them
 * @param replayed how many of the tasks had been accepted before
 */
public record SendAllSummary(Optional<String> batchId, long tasks, long numbers, long replayed) {
    SendAllSummary add(String batch, SentTask sent) {
        long sum = numbers + sent.task().counts().total();
        return new SendAllSummary(Optional.of(batch), tasks + 1, sum, replayed + (sent.replayed() ? 1 : 0));
    }
}
