import dev.postrider.Client;
import dev.postrider.ListingFile;
import dev.postrider.model.ReceiptFilters;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

public class MonthFile {
    public static void main(String[] arguments) throws IOException {
        ReceiptFilters november = ReceiptFilters.builder().startAt(Instant.parse("2026-11-01T00:00:00Z")).build();
        try (Client client = Client.builder(System.getenv("POSTRIDER_URL"))
                        .credentials(System.getenv("POSTRIDER_API_KEY"), System.getenv("POSTRIDER_API_SECRET"))
                        .build();
                ListingFile file = client.receipts(november).csv();
                OutputStream out = Files.newOutputStream(Path.of("november.csv"))) {
            long rows = file.writeTo(out);
            System.out.println(rows + " receipts; the next file continues from " + file.cursor().orElse(""));
        }
    }
}
