import dev.postrider.Client;
import dev.postrider.FileListing;
import dev.postrider.model.*;
import java.time.Duration;
import java.time.Instant;

public class Lists {
    public static void main(String[] arguments) {
        try (Client client = Client.builder(System.getenv("POSTRIDER_URL"))
                .credentials(System.getenv("POSTRIDER_API_KEY"), System.getenv("POSTRIDER_API_SECRET"))
                .build()) {
            FileListing<Receipt> undelivered = client.receipts(ReceiptFilters.builder()
                    .result(ReceiptResult.UNDELIVERED)
                    .startAt(Instant.now().minus(Duration.ofHours(1)))
                    .build());
            System.out.println(undelivered.page().total() + " undelivered in the last hour");
            for (Receipt receipt : undelivered) System.out.println(receipt.phone() + " " + receipt.code());
        }
    }
}
