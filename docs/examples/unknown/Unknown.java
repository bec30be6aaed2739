import dev.postrider.Client;
import dev.postrider.model.*;

public class Unknown {
    public static void main(String[] arguments) {
        try (Client client = Client.builder(System.getenv("POSTRIDER_URL"))
                .credentials(System.getenv("POSTRIDER_API_KEY"), System.getenv("POSTRIDER_API_SECRET"))
                .build()) {
            for (Task task : client.tasks(TaskFilters.builder().stage(Stage.SUBMIT_UNKNOWN).build())) {
                SubmitFilters unknown =
                        SubmitFilters.builder().taskNo(task.taskNo()).status(SubmitStatus.UNKNOWN).build();
                for (SubmitRecord submit : client.submits(unknown)) {
                    System.out.println(submit.phone() + " " + submit.status());
                }
            }
        }
    }
}
