// Signs a request, sends it and returns the answer. Java 17 or later. Paths of the operator take the token.
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Call {
    static String sign(String secret, String method, String target, String timestamp, byte[] body) throws Exception {
        String bodyHash = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes("UTF-8"), "HmacSHA256"));
        String text = String.join("\n", method, target, timestamp, bodyHash);
        return HexFormat.of().formatHex(mac.doFinal(text.getBytes("UTF-8")));
    }

    static String call(String method, String target, String text) throws Exception {
        byte[] body = text.getBytes("UTF-8");
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(System.getenv("POSTRIDER_URL") + target))
                .method(method, HttpRequest.BodyPublishers.ofByteArray(body))
                .header("Content-Type", "application/json");
        if (target.startsWith("/operator/")) {
            request.header("Authorization", "Bearer " + System.getenv("POSTRIDER_OPERATOR_TOKEN"));
        } else {
            String timestamp = String.valueOf(System.currentTimeMillis());
            request.header("X-API-Key", System.getenv("POSTRIDER_API_KEY")).header("X-Timestamp", timestamp)
                    .header("X-Sign", sign(System.getenv("POSTRIDER_API_SECRET"), method, target, timestamp, body));
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString()).body();
    }
}
