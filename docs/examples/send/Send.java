import dev.postrider.Client;
import dev.postrider.model.*;
import java.util.Map;

public class Send {
    public static void main(String[] arguments) {
        try (Client client = Client.builder(System.getenv("POSTRIDER_URL"))
                .credentials(System.getenv("POSTRIDER_API_KEY"), System.getenv("POSTRIDER_API_SECRET"))
                .build()) {
            Task task = client.send(SendRequest.builder()
                    .templateNo(System.getenv("POSTRIDER_TEMPLATE_NO"))
                    .recipients(
                            Recipient.builder().phone("13800139001").variableValues(Map.of("p1", "Ann")).build(),
                            Recipient.builder().phone("13800139002").variableValues(Map.of("p1", "Bob")).build())
                    .clientRequestId("welcome-2026-11-15")
                    .autoFreeze(true)
                    .autoSubmit(true)
                    .build());
            client.waitForTask(task.taskNo());
            ReceiptFilters ofTask = ReceiptFilters.builder().taskNo(task.taskNo()).build();
            for (Receipt receipt : client.receipts(ofTask)) {
                System.out.println(receipt.phone() + " " + receipt.result());
            }
        }
    }
}
