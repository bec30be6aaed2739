package dev.postrider;

import java.util.Optional;

/**
 * No usable answer came. For a send that may have arrived, {@link #clientRequestId} is what to give to
 * {@link Client#findTask} before anything is sent again.
 */
public final class ConnectionException extends PostriderException {
    private static final long serialVersionUID = 1L;

    /** Why there was none. */
    public enum Reason {
        /** No connection was made: nothing arrived. */
        UNREACHABLE,
        /** The connection broke: the request may have arrived. */
        BROKEN,
        /** No answer in time: the request may have arrived. */
        TIMEOUT,
        /** What answered is not this API: the address is probably wrong. */
        UNREADABLE
    }

    /** Why there was no answer. */
    private final Reason reason;

    /** Of a send that may have arrived. */
    private final String clientRequestId;

    ConnectionException(Reason reason, String message, Throwable cause) {
        this(reason, message, cause, null);
    }

    ConnectionException(Reason reason, String message, Throwable cause, String clientRequestId) {
        super(message, cause);
        this.reason = reason;
        this.clientRequestId = clientRequestId;
    }

    /**
     * Why there was no answer.
     *
     * @return the reason
     */
    public Reason reason() {
        return reason;
    }

    /**
     * The id to ask for, of a send that may have arrived.
     *
     * @return empty where nothing arrived, and for other calls
     */
    public Optional<String> clientRequestId() {
        return Optional.ofNullable(clientRequestId);
    }
}
