import dev.postrider.Client;
import dev.postrider.model.*;
import java.util.Map;

public class PriceFirst {
    public static void main(String[] arguments) {
        try (Client client = Client.builder(System.getenv("POSTRIDER_URL"))
                .credentials(System.getenv("POSTRIDER_API_KEY"), System.getenv("POSTRIDER_API_SECRET"))
                .build()) {
            Preview preview = client.preview(SendRequest.builder()
                    .templateNo(System.getenv("POSTRIDER_TEMPLATE_NO"))
                    .phones("13800139001", "13800139002", "12345")
                    .variableValues(Map.of("p1", "Ann"))
                    .build());
            System.out.println(preview.sendable() + " of " + preview.total() + " numbers for " + preview.price() + " "
                    + preview.currency());
            for (PreviewRejection rejection : preview.rejections()) {
                System.out.println(rejection.phone() + " " + rejection.code());
            }
        }
    }
}
