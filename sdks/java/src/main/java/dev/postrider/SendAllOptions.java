package dev.postrider;

import java.util.function.Consumer;

/**
 * How a list of any length is sent.
 *
 * @param numbersPerTask how many numbers a request has, 1 to 5,000
 * @param concurrency how many requests are under way at once
 * @param onProgress called after each accepted task, one call at a time
 */
public record SendAllOptions(int numbersPerTask, int concurrency, Consumer<SendAllProgress> onProgress) {
    /** Tasks of 5,000, four requests at once. */
    public static final SendAllOptions DEFAULT = new SendAllOptions(5_000, 4, progress -> {});

    /** Checks the numbers. */
    public SendAllOptions {
        if (numbersPerTask < 1 || numbersPerTask > 5_000) throw new IllegalArgumentException("numbersPerTask takes 1 to 5000");
        if (concurrency < 1) throw new IllegalArgumentException("concurrency takes 1 or more");
    }

    /**
     * Tasks of another size.
     *
     * @param numbers 1 to 5,000
     * @return the options
     */
    public SendAllOptions withNumbersPerTask(int numbers) {
        return new SendAllOptions(numbers, concurrency, onProgress);
    }

    /**
     * More or fewer requests at once.
     *
     * @param requests how many
     * @return the options
     */
    public SendAllOptions withConcurrency(int requests) {
        return new SendAllOptions(numbersPerTask, requests, onProgress);
    }

    /**
     * With someone to tell.
     *
     * @param listener called after each accepted task
     * @return the options
     */
    public SendAllOptions withProgress(Consumer<SendAllProgress> listener) {
        return new SendAllOptions(numbersPerTask, concurrency, listener);
    }
}
