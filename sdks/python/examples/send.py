"""Sends one message and shows its receipt. Takes a phone number."""

import os
import sys
import uuid

from postrider import Client


def main(phone: str) -> None:
    url = os.environ.get("POSTRIDER_URL", "http://127.0.0.1:8080")
    key, secret = os.environ["POSTRIDER_API_KEY"], os.environ["POSTRIDER_API_SECRET"]
    with Client(url, key, secret) as client:
        task = client.send(
            template_no=os.environ["POSTRIDER_TEMPLATE_NO"],
            phones=[phone],
            variable_values={"p1": "Ann"},
            # A new id for each run of this example. Your program keeps one for each business
            # request before it sends: sent again, it finds the task that is there.
            client_request_id=f"python-{uuid.uuid4()}",
            auto_freeze=True,
            auto_submit=True,
        )
        client.wait_for_task(task.task_no, timeout=60)
        for receipt in client.receipts(task_no=task.task_no):
            print(task.task_no, receipt.phone, receipt.result, receipt.code, receipt.charged)


if __name__ == "__main__":
    main(sys.argv[1])
