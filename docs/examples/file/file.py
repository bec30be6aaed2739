import os
from datetime import datetime, timezone

from postrider import Client

client = Client(
    os.environ["POSTRIDER_URL"],
    os.environ["POSTRIDER_API_KEY"],
    os.environ["POSTRIDER_API_SECRET"],
)
november = datetime(2026, 11, 1, tzinfo=timezone.utc)
file = client.receipts(start_at=november).csv()
with open("november.csv", "w", newline="") as out:
    rows = file.write_to(out)
print(rows, "receipts; the next file continues from", file.cursor)
