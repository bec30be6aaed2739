import dev.postrider.Client;
import dev.postrider.WaitOptions;
import dev.postrider.model.Receipt;
import dev.postrider.model.ReceiptFilters;
import dev.postrider.model.SendRequest;
import dev.postrider.model.Task;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;

/** Sends one message and shows its receipt. Takes a phone number. */
public final class Send {
    private Send() {}

    public static void main(String[] words) {
        String url = System.getenv().getOrDefault("POSTRIDER_URL", "http://127.0.0.1:8080");
        try (Client client = Client.builder(url)
                .credentials(System.getenv("POSTRIDER_API_KEY"), System.getenv("POSTRIDER_API_SECRET"))
                .build()) {
            SendRequest request = SendRequest.builder()
                    .templateNo(System.getenv("POSTRIDER_TEMPLATE_NO"))
                    .phones(words[0])
                    .variableValues(Map.of("p1", "Ann"))
                    // A new id for each run of this example. Your program keeps one for each business request before it sends: sent
                    // again, it finds the task that is there.
                    .clientRequestId("java-" + UUID.randomUUID())
                    .autoFreeze(true)
                    .autoSubmit(true)
                    .build();
            Task task = client.send(request);
            client.waitForTask(task.taskNo(), WaitOptions.within(Duration.ofMinutes(1)));
            for (Receipt receipt : client.receipts(ReceiptFilters.builder().taskNo(task.taskNo()).build())) {
                System.out.println(String.join(
                        " ", task.taskNo(), receipt.phone(), receipt.result().word(), receipt.code(), receipt.charged().toPlainString()));
            }
        }
    }
}
