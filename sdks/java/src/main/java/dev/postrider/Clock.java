package dev.postrider;

import java.time.Duration;
import java.time.Instant;

/** Time, replaceable so that tests need not wait for it. */
public interface Clock {
    /**
     * The time.
     *
     * @return now
     */
    Instant now();

    /**
     * Pauses.
     *
     * @param duration how long
     * @throws InterruptedException when the thread is interrupted meanwhile
     */
    void sleep(Duration duration) throws InterruptedException;

    /**
     * The clock of this machine.
     *
     * @return one that really sleeps
     */
    static Clock system() {
        return new Clock() {
            @Override
            public Instant now() {
                return Instant.now();
            }

            @Override
            public void sleep(Duration duration) throws InterruptedException {
                Thread.sleep(duration.toMillis());
            }
        };
    }
}
