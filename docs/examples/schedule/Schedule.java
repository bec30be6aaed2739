import dev.postrider.Client;
import dev.postrider.model.*;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

public class Schedule {
    public static void main(String[] arguments) {
        try (Client client = Client.builder(System.getenv("POSTRIDER_URL"))
                .credentials(System.getenv("POSTRIDER_API_KEY"), System.getenv("POSTRIDER_API_SECRET"))
                .build()) {
            Instant now = Instant.now();
            String taskNo = client.send(SendRequest.builder()
                            .templateNo(System.getenv("POSTRIDER_TEMPLATE_NO"))
                            .phones("13800138000")
                            .variableValues(Map.of("p1", "Ann"))
                            .autoFreeze(true)
                            .autoSubmit(true)
                            .sendAt(now.plus(Duration.ofHours(2)))
                            .expiresAt(now.plus(Duration.ofHours(10)))
                            .build())
                    .taskNo();
            System.out.println(client.rescheduleTask(taskNo, now.plus(Duration.ofHours(3))).waitsFor());
            System.out.println(client.pauseTask(taskNo).waitsFor());
            System.out.println(client.resumeTask(taskNo).waitsFor());
            Task task = client.cancelTask(taskNo);
            System.out.println(task.stage() + ", " + task.amounts().released() + " released");
        }
    }
}
