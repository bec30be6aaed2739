// Signs a request, sends one message and waits for its receipt. Java 17 or later, no dependency: java Send.java

import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Send {
    static final HttpClient CLIENT = HttpClient.newHttpClient();

    static String sign(String secret, String method, String target, String timestamp, byte[] body)
            throws GeneralSecurityException {
        String bodyHash = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
        String stringToSign = String.join("\n", method, target, timestamp, bodyHash);
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        return HexFormat.of().formatHex(mac.doFinal(stringToSign.getBytes(StandardCharsets.UTF_8)));
    }

    static String setting(String name) {
        String value = System.getenv(name);
        if (value == null) throw new IllegalStateException(name + " is not set");
        return value;
    }

    static String call(String method, String target, String text) throws Exception {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        String timestamp = String.valueOf(System.currentTimeMillis());
        String url = System.getenv().getOrDefault("POSTRIDER_URL", "http://127.0.0.1:8080");
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + target))
                // The bytes that were signed are the bytes that are sent.
                .method(method, HttpRequest.BodyPublishers.ofByteArray(body))
                .header("Content-Type", "application/json")
                .header("X-API-Key", setting("POSTRIDER_API_KEY"))
                .header("X-Timestamp", timestamp)
                .header("X-Sign", sign(setting("POSTRIDER_API_SECRET"), method, target, timestamp, body))
                .build();
        HttpResponse<String> response = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) throw new IllegalStateException(response.body());
        return response.body();
    }

    // The first string of that name. In a program, use your JSON library.
    static String field(String json, String name) {
        Matcher found = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
        return found.find() ? found.group(1) : null;
    }

    static void send(String phone) throws Exception {
        // A new id for each run of this example. Your program keeps one for each business request
        // before it sends: sent again, it finds the task that is there.
        String request = """
                {"template_no":"%s","phones":["%s"],"variable_values":{"p1":"Ann"},
                 "client_request_id":"java-%s","auto_freeze":true,"auto_submit":true}"""
                .formatted(setting("POSTRIDER_TEMPLATE_NO"), phone, UUID.randomUUID());
        String taskNo = field(call("POST", "/openapi/v1/messages/send/", request), "task_no");
        for (int attempt = 0; attempt < 60; attempt++) {
            String receipts = call("GET", "/openapi/v1/messages/receipts/?task_no=" + taskNo, "");
            if (field(receipts, "result") != null) {
                System.out.println(taskNo + " " + phone + " " + field(receipts, "result") + " " + field(receipts, "code"));
                return;
            }
            Thread.sleep(1000);
        }
        throw new IllegalStateException("no receipt yet for " + taskNo);
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 1) {
            System.err.println("Usage: java Send.java PHONE | --vectors");
            System.exit(2);
        }
        if (arguments[0].equals("--vectors")) {
            String secret = "sk_test_0123456789abcdef";
            byte[] body = "{\"template_no\":\"T1\",\"phones\":[\"13800138000\"]}".getBytes(StandardCharsets.UTF_8);
            String list = "/openapi/v1/messages/tasks/?page=1&page_size=20";
            System.out.println(sign(secret, "GET", list, "1794700800000", new byte[0]));
            System.out.println(sign(secret, "POST", "/openapi/v1/messages/send/", "1794700800000", body));
            return;
        }
        try {
            send(arguments[0]);
        } catch (ConnectException error) {
            System.err.println("the service cannot be reached");
            System.exit(1);
        } catch (IllegalStateException error) {
            System.err.println(error.getMessage());
            System.exit(1);
        }
    }
}
