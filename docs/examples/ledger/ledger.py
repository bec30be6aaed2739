import os

from postrider import Client

client = Client(
    os.environ["POSTRIDER_URL"],
    os.environ["POSTRIDER_API_KEY"],
    os.environ["POSTRIDER_API_SECRET"],
)
account = client.account()
available, frozen, seq = account.available, account.frozen, account.ledger_seq
# Newest first: each entry must stand where the walk back from the balance has arrived.
for entry in client.ledgers(page_size=100):
    if entry.seq > seq:
        continue  # Made after the account was read.
    if entry.seq != seq:
        raise SystemExit(f"entry {seq} is missing")
    if (entry.available_after, entry.frozen_after) != (available, frozen):
        raise SystemExit(f"entry {seq} does not add up")
    available -= entry.available_delta
    frozen -= entry.frozen_delta
    seq -= 1
if (available, frozen, seq) != (0, 0, 0):
    raise SystemExit("the ledger does not begin at zero")
print("every entry adds up")
