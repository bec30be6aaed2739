import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.postrider.Clock;
import dev.postrider.WebhookMessage;
import dev.postrider.WebhookVerificationException;
import dev.postrider.Webhooks;
import dev.postrider.model.Receipt;
import dev.postrider.model.ReceiptItems;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Receives webhooks at a port, and prints the outcome of each number. Standard library and this SDK. */
public final class ReceiveWebhooks {
    private ReceiveWebhooks() {}

    public static void main(String[] words) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(words[0])), 0);
        server.createContext("/", ReceiveWebhooks::receive);
        server.start();
        System.out.println("listening on " + server.getAddress().getPort());
    }

    private static void receive(HttpExchange call) throws IOException {
        byte[] body = call.getRequestBody().readAllBytes();
        int status = 204;
        try {
            String secret = System.getenv("WEBHOOK_SECRET");
            WebhookMessage message = Webhooks.verify(secret, call.getRequestHeaders()::getFirst, body, Clock.system());
            if (message.data() instanceof ReceiptItems receipts) {
                for (Receipt receipt : receipts.items()) {
                    System.out.println(message.id() + " " + receipt.phone() + " " + receipt.result() + " "
                            + receipt.charged().toPlainString());
                }
            }
        } catch (WebhookVerificationException error) {
            status = 400;
        }
        call.sendResponseHeaders(status, -1);
        call.close();
    }
}
