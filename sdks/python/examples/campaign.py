"""Sends to every number of a file, one a line, and writes the receipts to a CSV file.

Run again with the same file and the same name, it sends nothing twice.
"""

import asyncio
import os
import sys

from postrider import AsyncClient, SendAllProgress


def show(progress: SendAllProgress) -> None:
    print(progress.summary.numbers, "numbers accepted")


async def main(batch_id: str, numbers: str, receipts: str) -> None:
    url = os.environ.get("POSTRIDER_URL", "http://127.0.0.1:8080")
    key, secret = os.environ["POSTRIDER_API_KEY"], os.environ["POSTRIDER_API_SECRET"]
    async with AsyncClient(url, key, secret) as client:
        with open(numbers) as lines:
            await client.send_all(
                (line.strip() for line in lines),
                template_no=os.environ["POSTRIDER_TEMPLATE_NO"],
                variable_values={"p1": "all"},
                batch_id=batch_id,
                auto_freeze=True,
                auto_submit=True,
                on_progress=show,
            )
        async for task in client.tasks(batch_id=batch_id):
            await client.wait_for_task(task.task_no)
        with open(receipts, "w", newline="") as out:
            rows = await client.receipts(batch_id=batch_id).csv().write_to(out)
        batch = await client.batch(batch_id)
        print(
            rows, "receipts,", batch.counts.delivered, "delivered, charged", batch.amounts.charged
        )


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:4]))
