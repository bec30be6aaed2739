import os
from datetime import datetime, timedelta, timezone

from postrider import Client

client = Client(
    os.environ["POSTRIDER_URL"],
    os.environ["POSTRIDER_API_KEY"],
    os.environ["POSTRIDER_API_SECRET"],
)


def in_hours(hours: int) -> datetime:
    return datetime.now(timezone.utc) + timedelta(hours=hours)


task_no = client.send(
    template_no=os.environ["POSTRIDER_TEMPLATE_NO"],
    phones=["13800138000"],
    variable_values={"p1": "Ann"},
    auto_freeze=True,
    auto_submit=True,
    send_at=in_hours(2),
    expires_at=in_hours(10),
).task_no
print(client.reschedule_task(task_no, in_hours(3)).waits_for)
print(client.pause_task(task_no).waits_for)
print(client.resume_task(task_no).waits_for)
task = client.cancel_task(task_no)
print(f"{task.stage}, {task.amounts.released} released")
