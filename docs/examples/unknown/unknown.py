import os

from postrider import Client

client = Client(
    os.environ["POSTRIDER_URL"],
    os.environ["POSTRIDER_API_KEY"],
    os.environ["POSTRIDER_API_SECRET"],
)
for task in client.tasks(stage="submit_unknown"):
    for submit in client.submits(task_no=task.task_no, status="unknown"):
        print(submit.phone, submit.status)
