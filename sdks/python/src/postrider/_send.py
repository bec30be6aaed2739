"""Sending: once, whatever the network does; and any number of numbers, cut into tasks."""

import hashlib
import uuid
from dataclasses import dataclass, replace
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, Dict, Iterable, List, Mapping, Optional, Union

from ._call import Answer, create_call, encode_json, pick_given
from ._core import Core, Sleep, Steps
from ._decode import decode_answer
from ._listing import read_page
from .errors import ConnectionFailedError, PostriderError, ProblemError
from .models import Recipient, Task
from .retry import certainly_not_done, find_delay

SEND_PATH = "/openapi/v1/messages/send/"
TASKS_PATH = "/openapi/v1/messages/tasks/"
# Clocks of two machines of one service, and the whole seconds of `Date`, differ by less than this.
CLOCK_TOLERANCE = 5.0
MAX_NUMBERS = 5000
# Of the 64 characters of an id: room for the dot and the number of a later request.
MAX_NAME_CHARACTERS = 56

# A phone, or one with variables of its own, which go before the common ones.
SendAllNumber = Union[str, Recipient]


@dataclass(frozen=True)
class SentTask:
    """A task, and whether it existed before this call: the same had been accepted earlier."""

    task: Task
    replayed: bool


def send_safely(core: Core, fields: Mapping[str, Any], timeout: Optional[float]) -> Steps[SentTask]:
    """Send once.

    After a failure that leaves open whether the request arrived, the task list is asked for its id
    before anything is sent again, and what is sent again is the same request under the same id.
    """
    request = pick_given(fields)
    id_is_ours = "client_request_id" not in request
    if id_is_ours:
        request["client_request_id"] = str(uuid.uuid4())
    request_id: str = request["client_request_id"]
    call = create_call("POST", SEND_PATH, body=request, timeout=timeout)
    started = core.now()
    uncertain = False
    count = 1
    while True:
        try:
            if uncertain:
                original = yield from _find_original(core, request_id, id_is_ours, started, timeout)
                if original is not None:
                    return SentTask(original, False)
            answer: Answer = yield from core.exchange(call)
            replayed = answer.headers.get("idempotent-replayed") == "true"
            # A replay of a lost attempt under our own id is news to the caller.
            return SentTask(
                decode_answer(Task, answer.value), replayed and not (uncertain and id_is_ours)
            )
        except PostriderError as error:
            failed = isinstance(error, ProblemError) and error.status >= 500
            uncertain = uncertain or failed or not certainly_not_done(error)
            delay = find_delay(error, count, True, core.retry, core.random)
            if delay is None:
                if uncertain and isinstance(error, ConnectionFailedError):
                    raise ConnectionFailedError(error.reason, str(error), request_id) from error
                raise
            yield Sleep(delay)
            count += 1


def _find_original(
    core: Core, request_id: str, id_is_ours: bool, started: float, timeout: Optional[float]
) -> Steps[Optional[Task]]:
    query = {"client_request_id": request_id, "page_size": 1}
    call = create_call("GET", TASKS_PATH, query=query, timeout=timeout)
    answer: Answer = yield from core.exchange(call)
    items = read_page(Task, answer.value).items
    if len(items) == 0:
        return None
    task = items[0]
    # An id that the caller chose may name an older task of another content. Only the service can
    # tell: unless the task was plainly made by this call, the same request goes out again.
    age = _find_age(answer, task)
    made_now = age is not None and age <= core.now() - started + CLOCK_TOLERANCE
    return task if id_is_ours or made_now else None


def _find_age(answer: Answer, task: Task) -> Optional[float]:
    """Return how long ago a task was made, by the clock of the service."""
    try:
        date: datetime = parsedate_to_datetime(answer.headers.get("date", ""))
    except (TypeError, ValueError):
        return None
    return (date - task.created_at).total_seconds()


@dataclass(frozen=True)
class SendAllSummary:
    """What has been accepted so far."""

    # None where there were no numbers.
    batch_id: Optional[str]
    # Accepted tasks, the numbers in them, and how many of the tasks had been accepted before.
    tasks: int = 0
    numbers: int = 0
    replayed: int = 0

    def add(self, batch_id: str, sent: SentTask) -> "SendAllSummary":
        """Return the sum with one task more."""
        return replace(
            self,
            batch_id=batch_id,
            tasks=self.tasks + 1,
            numbers=self.numbers + sent.task.counts.total,
            replayed=self.replayed + (1 if sent.replayed else 0),
        )


@dataclass(frozen=True)
class SendAllProgress:
    """The task that was just accepted, the position of its request from 1, and the sums so far."""

    task: Task
    index: int
    replayed: bool
    summary: SendAllSummary


@dataclass(frozen=True)
class CutRequest:
    """One of the requests that numbers are cut into."""

    index: int
    batch_id: str
    fields: Dict[str, Any]


class RequestCutter:
    """Makes requests of chunks of numbers, in order: the same numbers, the same requests and ids."""

    def __init__(self, fields: Mapping[str, Any], size: int, concurrency: int) -> None:
        if not 1 <= size <= MAX_NUMBERS:
            raise ValueError(f"numbers_per_task takes 1 to {MAX_NUMBERS}")
        if concurrency < 1:
            raise ValueError("concurrency takes 1 or more")
        self.size = size
        self._shared = pick_given(fields)
        self._common: Any = self._shared.pop("variable_values", None)
        self.batch_id: Optional[str] = self._shared.get("batch_id")
        self._index = 0

    def cut(self, numbers: List[SendAllNumber]) -> CutRequest:
        """Return the next request."""
        self._index += 1
        content = self._content_of(numbers)
        if self.batch_id is None:
            name = encode_json([self._shared["template_no"], content])
            self.batch_id = f"made-{_hash(name)}"
        names = {"batch_id": self.batch_id, "client_request_id": self._name_request(self.batch_id)}
        return CutRequest(self._index, self.batch_id, {**self._shared, **content, **names})

    def _content_of(self, numbers: Iterable[SendAllNumber]) -> Dict[str, Any]:
        if any(not isinstance(one, str) and "variable_values" in one for one in numbers):
            return {"recipients": [self._merge_variables(one) for one in numbers]}
        content: Dict[str, Any] = {"phones": [_phone_of(one) for one in numbers]}
        if self._common is not None:
            content["variable_values"] = self._common
        return content

    def _merge_variables(self, number: SendAllNumber) -> Dict[str, Any]:
        own: Any = None if isinstance(number, str) else number.get("variable_values")
        variables = {**_name_variables(self._common), **_name_variables(own)}
        return {"phone": _phone_of(number), "variable_values": variables}

    def _name_request(self, batch_id: str) -> str:
        """Return its id.

        The first has the name of the batch, also when others follow: an input that has grown past
        one request then still meets the id under which it was sent before.
        """
        if self._index == 1:
            return batch_id
        name = batch_id if len(batch_id) <= MAX_NAME_CHARACTERS else _hash(batch_id)
        return f"{name}.{self._index}"


def _phone_of(number: SendAllNumber) -> str:
    return number if isinstance(number, str) else number["phone"]


def _name_variables(values: Any) -> Dict[str, Any]:
    if values is None:
        return {}
    if isinstance(values, Mapping):
        return dict(values)
    return {f"p{at}": value for at, value in enumerate(values, 1)}


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
