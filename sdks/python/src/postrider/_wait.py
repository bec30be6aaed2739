"""Following a task until it has finished, or waits for its caller."""

from dataclasses import replace
from typing import Any, Callable, Optional, Tuple, Union

from ._call import Call, path
from ._core import Core, Sleep, Steps
from ._decode import decode_answer
from .errors import ConnectionFailedError, WaitTimeoutError
from .models import Task, TaskDetail, WaitsFor

FINAL_STAGES = frozenset(("completed", "failed", "cancelled"))
FIRST_POLL = 0.15
MAX_POLL = 5.0
# Automatic steps follow at once; one that does not follow within this time needs a call.
GRACE = 3.0


def is_finished(task: Union[Task, TaskDetail]) -> bool:
    """Tell whether nothing more happens to a task."""
    return task.stage in FINAL_STAGES


def _find_caller_wait(task: TaskDetail) -> Optional[Tuple[WaitsFor, bool]]:
    """Return what a task waits for that needs an action, and whether that is certain."""
    if task.waits_for in ("resume", "limit"):
        return task.waits_for, True
    # It goes on by itself at its time.
    if task.waits_for in ("send_at", "window"):
        return None
    if task.accounting_state == "insufficient_funds":
        return "funds", True
    if task.stage == "queued":
        return None if task.auto_prepare else ("prepare", False)
    if task.stage != "prepared":
        return None
    if task.accounting_state == "none":
        return "freeze", not task.auto_freeze
    return "submit", not task.auto_submit


def wait_for_task(
    core: Core,
    task_no: str,
    timeout: Optional[float],
    until: Optional[Callable[[TaskDetail], bool]],
    on_progress: Optional[Callable[[TaskDetail], None]],
) -> Steps[TaskDetail]:
    """Poll with pauses that grow while nothing changes."""
    target = path("/openapi/v1/messages/tasks/{}/", task_no)
    started = seen_at = core.now()
    last: Optional[TaskDetail] = None
    seen: Any = None
    pause = FIRST_POLL
    while True:
        left = None if timeout is None else timeout - (core.now() - started)
        if left is not None and left <= 0:
            raise WaitTimeoutError(last, timeout or 0)
        limit = core.timeout if left is None else min(core.timeout, left)
        try:
            answer = yield from core.call(Call("GET", target, timeout=limit), True)
        except ConnectionFailedError as error:
            if timeout is not None and core.now() - started >= timeout:
                raise WaitTimeoutError(last, timeout) from error
            raise
        last = task = decode_answer(TaskDetail, answer.value)
        changed = answer.value != seen
        seen = answer.value
        pause = FIRST_POLL if changed else min(MAX_POLL, pause * 1.5)
        if changed:
            seen_at = core.now()
            if on_progress is not None:
                on_progress(task)
        if is_finished(task) or (until is not None and until(task)):
            return replace(task, waits_for=None)
        wait = _find_caller_wait(task)
        # With `until` the caller has said what the wait is for; a task may still get there.
        if wait is not None and until is None:
            waits_for, is_certain = wait
            if is_certain or core.now() - seen_at >= GRACE:
                return replace(task, waits_for=waits_for)
        yield Sleep(pause if left is None else max(0.0, min(pause, left)))
