package dev.postrider;

import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow.Subscriber;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The body of one attempt. The HTTP client of Java sends a GET again by itself when its connection ends without an answer, unknown
 * to the caller and beyond the limits of a {@link RetryPolicy}; it asks for the length of the body each time, and is refused here.
 */
final class SentOnce implements BodyPublisher {
    private final BodyPublisher body;
    private final AtomicBoolean isSent = new AtomicBoolean();

    SentOnce(byte[] content) {
        body = content.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(content);
    }

    @Override
    public long contentLength() {
        if (isSent.getAndSet(true)) throw new IllegalStateException("The connection ended without an answer");
        return body.contentLength();
    }

    @Override
    public void subscribe(Subscriber<? super ByteBuffer> subscriber) {
        body.subscribe(subscriber);
    }
}
