import dev.postrider.Client;
import dev.postrider.ListingFile;
import dev.postrider.SendAllOptions;
import dev.postrider.model.Batch;
import dev.postrider.model.ReceiptFilters;
import dev.postrider.model.Recipient;
import dev.postrider.model.SendRequest;
import dev.postrider.model.Task;
import dev.postrider.model.TaskFilters;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Sends to every number of a file, one a line, and writes the receipts to a CSV file: batch, numbers, receipts. Run again with the same
 * file and the same batch, it sends nothing twice.
 */
public final class Campaign {
    private Campaign() {}

    public static void main(String[] words) throws IOException {
        String url = System.getenv().getOrDefault("POSTRIDER_URL", "http://127.0.0.1:8080");
        String batchId = words[0];
        try (Client client = Client.builder(url)
                        .credentials(System.getenv("POSTRIDER_API_KEY"), System.getenv("POSTRIDER_API_SECRET"))
                        .build();
                Stream<String> lines = Files.lines(Path.of(words[1]))) {
            SendRequest request = SendRequest.builder()
                    .templateNo(System.getenv("POSTRIDER_TEMPLATE_NO"))
                    .variableValues(Map.of("p1", "all"))
                    .batchId(batchId)
                    .autoFreeze(true)
                    .autoSubmit(true)
                    .build();
            client.sendAll(
                    request,
                    lines.map(String::strip).map(Recipient::of)::iterator,
                    SendAllOptions.DEFAULT.withProgress(
                            progress -> System.out.println(progress.summary().numbers() + " numbers accepted")));
            for (Task task : client.tasks(TaskFilters.builder().batchId(batchId).build())) client.waitForTask(task.taskNo());
            ReceiptFilters filters = ReceiptFilters.builder().batchId(batchId).build();
            try (ListingFile file = client.receipts(filters).csv();
                    OutputStream out = Files.newOutputStream(Path.of(words[2]))) {
                long rows = file.writeTo(out);
                Batch batch = client.batch(batchId);
                System.out.println(rows + " receipts, " + batch.counts().delivered() + " delivered, charged "
                        + batch.amounts().charged().toPlainString());
            }
        }
    }
}
