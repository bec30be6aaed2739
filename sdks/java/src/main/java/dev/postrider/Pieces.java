package dev.postrider;

import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** An answer in pieces: the next one is asked for when it is wanted, and waited for no longer than it may take. */
final class Pieces implements BodySubscriber<Pieces>, AutoCloseable {
    private record Event(byte[] piece, Throwable failure) {}

    /** One piece is asked for at a time; the end, or a failure, may follow it at once. */
    private final BlockingQueue<Event> events = new ArrayBlockingQueue<>(4);

    private volatile Subscription subscription;
    private volatile boolean isClosed;

    @Override
    public CompletionStage<Pieces> getBody() {
        return CompletableFuture.completedStage(this);
    }

    @Override
    public void onSubscribe(Subscription given) {
        subscription = given;
        if (isClosed) given.cancel();
        else given.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        byte[] piece = new byte[buffers.stream().mapToInt(ByteBuffer::remaining).sum()];
        int at = 0;
        for (ByteBuffer buffer : buffers) {
            int size = buffer.remaining();
            buffer.get(piece, at, size);
            at += size;
        }
        events.offer(new Event(piece, null));
    }

    @Override
    public void onError(Throwable failure) {
        events.offer(new Event(null, failure));
    }

    @Override
    public void onComplete() {
        events.offer(new Event(null, null));
    }

    /** The next piece; null at the end. */
    byte[] next(Duration timeout) throws IOException, InterruptedException, TimeoutException {
        Event event = events.poll(timeout.toMillis(), TimeUnit.MILLISECONDS);
        if (event == null) throw new TimeoutException();
        if (event.failure != null) throw new IOException("The answer broke off", event.failure);
        if (event.piece != null) subscription.request(1);
        return event.piece;
    }

    /** Ends the connection unless all has come. */
    @Override
    public void close() {
        isClosed = true;
        Subscription open = subscription;
        if (open != null) open.cancel();
    }
}
