package dev.postrider;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The signature of requests; needed only where requests are made without a {@link Client}. */
public final class Signing {
    private Signing() {}

    /**
     * What goes into {@code X-Sign}.
     *
     * @param apiSecret of the key
     * @param method in capitals
     * @param target the path with its query, as it stands on the request line
     * @param timestampMs what goes into {@code X-Timestamp}
     * @param body exactly as it is sent; empty where there is none
     * @return the signature
     */
    public static String sign(String apiSecret, String method, String target, long timestampMs, byte[] body) {
        String text = method + "\n" + target + "\n" + timestampMs + "\n" + hash(body);
        return HexFormat.of().formatHex(hmac(apiSecret.getBytes(StandardCharsets.UTF_8), text.getBytes(StandardCharsets.UTF_8)));
    }

    static String hash(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException(error);
        }
    }

    static byte[] hmac(byte[] key, byte[] content) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(content);
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException(error);
        }
    }
}
