import dev.postrider.Client;
import dev.postrider.SendAllOptions;
import dev.postrider.SendAllSummary;
import dev.postrider.model.*;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

public class Campaign {
    public static void main(String[] arguments) {
        try (Client client = Client.builder(System.getenv("POSTRIDER_URL"))
                .credentials(System.getenv("POSTRIDER_API_KEY"), System.getenv("POSTRIDER_API_SECRET"))
                .build()) {
            Stream<Recipient> numbers = IntStream.range(0, 300).mapToObj(at -> Recipient.builder()
                    .phone(String.format("139%07d0", at))
                    .variableValues(Map.of("p1", "number " + at))
                    .build());
            SendRequest common = SendRequest.builder()
                    .templateNo(System.getenv("POSTRIDER_TEMPLATE_NO"))
                    .batchId("july-campaign")
                    .autoFreeze(true)
                    .autoSubmit(true)
                    .build();
            SendAllOptions options = SendAllOptions.DEFAULT.withNumbersPerTask(100);
            SendAllSummary summary = client.sendAll(common, numbers::iterator, options);
            System.out.println(summary.numbers() + " numbers in " + summary.tasks() + " tasks");
        }
    }
}
