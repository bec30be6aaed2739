package dev.postrider;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** The receiving end of a webhook (Standard Webhooks). */
public final class Webhooks {
    /** An older call, or one from the future, may be a replay. */
    private static final Duration TOLERANCE = Duration.ofSeconds(300);

    private Webhooks() {}

    /**
     * The message of a call to your webhook, once it is proven to be from the service.
     *
     * @param secret as it was shown, with {@code whsec_}
     * @param headers of the request, in any case
     * @param body as it came, before anything has parsed it
     * @return the message
     * @throws WebhookVerificationException otherwise: answer 400 then
     */
    public static WebhookMessage verify(String secret, Map<String, String> headers, byte[] body) {
        Map<String, String> inAnyCase = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        inAnyCase.putAll(headers);
        return verify(secret, inAnyCase::get, body, Clock.system());
    }

    /**
     * The same with what finds a header, such as {@code request::getHeader}.
     *
     * @param secret as it was shown, with {@code whsec_}
     * @param header finds the value of a header by its name; null where there is none
     * @param body as it came, before anything has parsed it
     * @param clock of the receiver: {@link Clock#system()}
     * @return the message
     * @throws WebhookVerificationException otherwise: answer 400 then
     */
    public static WebhookMessage verify(String secret, Function<String, String> header, byte[] body, Clock clock) {
        String id = read(header, "webhook-id");
        String timestamp = read(header, "webhook-timestamp");
        if (!timestamp.matches("[0-9]{1,12}")) throw fail("the timestamp is no number", null);
        Duration age = Duration.between(Instant.ofEpochSecond(Long.parseLong(timestamp)), clock.now());
        if (age.abs().compareTo(TOLERANCE) > 0) throw fail("the timestamp is too far from now", null);
        byte[] prefix = (id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8);
        byte[] signed = new byte[prefix.length + body.length];
        System.arraycopy(prefix, 0, signed, 0, prefix.length);
        System.arraycopy(body, 0, signed, prefix.length, body.length);
        byte[] expected = Signing.hmac(readSecret(secret), signed);
        // During a rotation there are several: by the new secret and by the old one.
        for (String signature : read(header, "webhook-signature").split(" ")) {
            if (isBy(expected, signature)) return readMessage(id, body);
        }
        throw fail("no signature is by this secret", null);
    }

    private static WebhookVerificationException fail(String message, Throwable cause) {
        return new WebhookVerificationException(message, cause);
    }

    private static String read(Function<String, String> header, String name) {
        String value = header.apply(name);
        if (value == null || value.isEmpty()) throw fail("the header " + name + " is missing", null);
        return value;
    }

    private static byte[] readSecret(String secret) {
        byte[] key = decode(secret.startsWith("whsec_") ? secret.substring("whsec_".length()) : secret);
        if (key.length == 0) throw fail("the secret must be whsec_ and base64, as it was shown", null);
        return key;
    }

    private static boolean isBy(byte[] expected, String signature) {
        // In constant time.
        return signature.startsWith("v1,") && MessageDigest.isEqual(decode(signature.substring("v1,".length())), expected);
    }

    /** Nothing for what is no base64; missing padding is forgiven. */
    private static byte[] decode(String text) {
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException error) {
            return new byte[0];
        }
    }

    private static WebhookMessage readMessage(String id, byte[] body) {
        try {
            Fields fields = Fields.of(Json.read(new String(body, StandardCharsets.UTF_8)));
            String type = fields.text("type");
            return new WebhookMessage(id, type, fields.time("timestamp"), ModelReader.webhookData(type, fields.value("data")));
        } catch (IllegalArgumentException error) {
            throw fail("the message cannot be read", error);
        }
    }
}
