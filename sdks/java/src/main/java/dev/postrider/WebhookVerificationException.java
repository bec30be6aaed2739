package dev.postrider;

/** A call to a webhook is not proven to be from the service: answer it with 400. */
public final class WebhookVerificationException extends PostriderException {
    private static final long serialVersionUID = 1L;

    WebhookVerificationException(String message, Throwable cause) {
        super(message, cause);
    }
}
