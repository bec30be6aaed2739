import os

from postrider import Client

client = Client(
    os.environ["POSTRIDER_URL"],
    os.environ["POSTRIDER_API_KEY"],
    os.environ["POSTRIDER_API_SECRET"],
)
task = client.send(
    template_no=os.environ["POSTRIDER_TEMPLATE_NO"],
    recipients=[
        {"phone": "13800139001", "variable_values": {"p1": "Ann"}},
        {"phone": "13800139002", "variable_values": {"p1": "Bob"}},
    ],
    client_request_id="welcome-2026-11-15",
    auto_freeze=True,
    auto_submit=True,
)
client.wait_for_task(task.task_no)
for receipt in client.receipts(task_no=task.task_no):
    print(receipt.phone, receipt.result)
