import os

from postrider import Client

client = Client(
    os.environ["POSTRIDER_URL"],
    os.environ["POSTRIDER_API_KEY"],
    os.environ["POSTRIDER_API_SECRET"],
)
numbers = (
    {"phone": f"139{at:07}0", "variable_values": {"p1": f"number {at}"}} for at in range(300)
)
summary = client.send_all(
    numbers,
    template_no=os.environ["POSTRIDER_TEMPLATE_NO"],
    batch_id="july-campaign",
    auto_freeze=True,
    auto_submit=True,
    numbers_per_task=100,
)
print(f"{summary.numbers} numbers in {summary.tasks} tasks")
