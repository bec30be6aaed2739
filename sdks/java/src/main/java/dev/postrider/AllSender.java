package dev.postrider;

import dev.postrider.RequestCutter.CutRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** Sends what a list is cut into, a few requests at once; reads the list no further ahead than these. */
final class AllSender {
    private final Core core;
    private final Duration timeout;
    private final SendAllOptions options;
    private final RequestCutter requests;
    private SendAllSummary summary;
    private RuntimeException failure;

    AllSender(Core core, Duration timeout, SendAllOptions options, RequestCutter requests) {
        this.core = core;
        this.timeout = timeout;
        this.options = options;
        this.requests = requests;
        summary = new SendAllSummary(Optional.empty(), 0, 0, 0);
    }

    SendAllSummary run() {
        CountDownLatch left = new CountDownLatch(options.concurrency());
        Thread[] senders = new Thread[options.concurrency()];
        for (int at = 0; at < senders.length; at++) {
            senders[at] = new Thread(() -> sendSome(left), "postrider-send-all-" + at);
            senders[at].setDaemon(true);
            senders[at].start();
        }
        boolean isInterrupted = false;
        while (left.getCount() > 0) {
            try {
                left.await();
            } catch (InterruptedException error) {
                // Each of them ends its attempt, and the list ends with its error.
                isInterrupted = true;
                for (Thread sender : senders) sender.interrupt();
            }
        }
        if (isInterrupted) Thread.currentThread().interrupt();
        if (failure != null) throw failure;
        return summary;
    }

    private void sendSome(CountDownLatch left) {
        try {
            for (CutRequest request = next(); request != null; request = next()) {
                note(request, new Sender(core, request.fields(), timeout).send());
            }
        } catch (RuntimeException error) {
            fail(error);
        } catch (Error error) {
            fail(new IllegalStateException(error));
        } finally {
            left.countDown();
        }
    }

    /** After a failure nothing is begun; the others finish what they have, so that all is known that can be. */
    private synchronized void fail(RuntimeException error) {
        if (failure == null) failure = error;
        else failure.addSuppressed(error);
    }

    private synchronized CutRequest next() {
        return failure == null ? requests.next() : null;
    }

    private synchronized void note(CutRequest request, SentTask sent) {
        summary = summary.add(request.batchId(), sent);
        options.onProgress().accept(new SendAllProgress(sent.task(), request.index(), sent.replayed(), summary));
    }
}
