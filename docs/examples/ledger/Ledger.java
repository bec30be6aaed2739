import dev.postrider.Client;
import dev.postrider.model.*;
import java.math.BigDecimal;

public class Ledger {
    public static void main(String[] arguments) {
        try (Client client = Client.builder(System.getenv("POSTRIDER_URL"))
                .credentials(System.getenv("POSTRIDER_API_KEY"), System.getenv("POSTRIDER_API_SECRET"))
                .build()) {
            Account account = client.account();
            BigDecimal available = account.available();
            BigDecimal frozen = account.frozen();
            long seq = account.ledgerSeq();
            // Newest first: each entry must stand where the walk back from the balance has arrived.
            for (LedgerEntry entry : client.ledgers()) {
                if (entry.seq() > seq) continue; // Made after the account was read.
                if (entry.seq() != seq) throw new IllegalStateException("entry " + seq + " is missing");
                if (entry.availableAfter().compareTo(available) != 0 || entry.frozenAfter().compareTo(frozen) != 0)
                    throw new IllegalStateException("entry " + seq + " does not add up");
                available = available.subtract(entry.availableDelta());
                frozen = frozen.subtract(entry.frozenDelta());
                seq--;
            }
            if (available.signum() != 0 || frozen.signum() != 0 || seq != 0)
                throw new IllegalStateException("the ledger does not begin at zero");
            System.out.println("every entry adds up");
        }
    }
}
