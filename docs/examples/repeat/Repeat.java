import dev.postrider.Client;
import dev.postrider.ProblemException;
import dev.postrider.model.SendRequest;
import java.util.Map;

public class Repeat {
    public static void main(String[] arguments) {
        try (Client client = Client.builder(System.getenv("POSTRIDER_URL"))
                .credentials(System.getenv("POSTRIDER_API_KEY"), System.getenv("POSTRIDER_API_SECRET"))
                .build()) {
            SendRequest request = SendRequest.builder()
                    .templateNo(System.getenv("POSTRIDER_TEMPLATE_NO"))
                    .phones("13800139001")
                    .variableValues(Map.of("p1", "Ann"))
                    .clientRequestId("order-1000")
                    .build();
            for (int attempt = 1; attempt <= 2; attempt++) {
                System.out.println(client.sendOrReplay(request).replayed() ? "replayed" : "accepted");
            }
            try {
                client.send(request.toBuilder().phones("13800139002").build());
            } catch (ProblemException error) {
                System.out.println(error.code());
            }
        }
    }
}
