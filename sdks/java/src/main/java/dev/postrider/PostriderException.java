package dev.postrider;

/** The base of all errors of this package. None of them shows a secret. */
public abstract class PostriderException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PostriderException(String message, Throwable cause) {
        super(message, cause);
    }
}
