import os
from datetime import datetime, timedelta, timezone

from postrider import Client

client = Client(
    os.environ["POSTRIDER_URL"],
    os.environ["POSTRIDER_API_KEY"],
    os.environ["POSTRIDER_API_SECRET"],
)
start_at = datetime.now(timezone.utc) - timedelta(hours=1)
undelivered = client.receipts(result="undelivered", start_at=start_at)
print(undelivered.page().total, "undelivered in the last hour")
for receipt in undelivered:
    print(receipt.phone, receipt.code)
