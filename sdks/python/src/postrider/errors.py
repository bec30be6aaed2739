"""What can go wrong. Every error of this package is a PostriderError."""

import json
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Dict, List, Literal, Mapping, Optional, Union

if TYPE_CHECKING:
    from .models import TaskDetail


class PostriderError(Exception):
    """The base of all errors of this package."""


@dataclass(frozen=True)
class FaultDetail:
    """One fault of a request: `pointer` is a JSON pointer into the body, or `?name` of the query."""

    pointer: str
    code: str
    message: str
    # Which sentence it is, and what is filled in: translate by it.
    key: str
    params: Mapping[str, Union[str, float]]


class ProblemError(PostriderError):
    """The service answered with a problem (RFC 9457).

    Nothing was stored, reserved or sent, unless `outcome_unknown` says that this is not certain.
    """

    def __init__(
        self,
        status: int,
        headers: Mapping[str, str],
        content: bytes,
        now: float,
    ) -> None:
        body = _read_object(content)
        code = _text(body.get("code"))
        self.status = status
        self.code: str = code or "unexpected_answer"
        self.key: str = _text(body.get("key")) or "unexpected_answer"
        self.params: Dict[str, Union[str, float]] = _object(body.get("params"))
        self.title: str = _text(body.get("title")) or f"HTTP {status}"
        self.detail = _text(body.get("detail"))
        # Name it when you ask for help: it is in the logs of the service.
        self.request_id = _text(body.get("request_id")) or headers.get("x-request-id")
        self.errors: List[FaultDetail] = [_read_fault(one) for one in _list(body.get("errors"))]
        # In seconds.
        self.retry_after = _read_retry_after(headers.get("retry-after"), now)
        # The clock of the service, with `timestamp_out_of_range`.
        self.server_time = _read_time(body.get("server_time"))
        # False when something in between answered, such as a proxy: then nothing is certain.
        self.from_service = code is not None
        # The service lost its database before it learned whether the request was carried out.
        self.outcome_unknown = body.get("outcome") == "unknown"
        super().__init__(self._describe())

    def _describe(self) -> str:
        request = "" if self.request_id is None else f" [request {self.request_id}]"
        faults = "".join(f"\n  {one.pointer or '(body)'}: {one.message}" for one in self.errors)
        return f"{self.status} {self.code}: {self.detail or self.title}{request}{faults}"


ConnectionFailure = Literal["unreachable", "broken", "timeout", "unreadable"]


class ConnectionFailedError(PostriderError):
    """No usable answer came.

    `reason` is `unreachable` (no connection was made: nothing arrived), `broken`, `timeout` (it may
    have arrived) or `unreadable` (what answered is not this API). For a send that may have arrived,
    `client_request_id` is what to give to `find_task` before anything is sent again.
    """

    def __init__(
        self, reason: ConnectionFailure, message: str, client_request_id: Optional[str] = None
    ) -> None:
        self.reason: ConnectionFailure = reason
        self.client_request_id = client_request_id
        super().__init__(message)


class WaitTimeoutError(PostriderError):
    """The time that was given to a wait is over; the task goes on. `task` is as it was last seen."""

    def __init__(self, task: "Optional[TaskDetail]", timeout: float) -> None:
        self.task = task
        seen = "No answer about the task" if task is None else f"{task.task_no} is {task.stage}"
        super().__init__(f"{seen} after {timeout} s; what was accepted goes on by itself")


class WebhookVerificationError(PostriderError):
    """A call to a webhook is not proven to be from the service: answer it with 400."""


def _read_object(content: bytes) -> Dict[str, Any]:
    try:
        return _object(json.loads(content))
    except ValueError:
        # The page of a proxy; the status alone has to do.
        return {}


def _object(value: Any) -> Dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> List[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> Optional[str]:
    return value if isinstance(value, str) else None


def _read_fault(value: Any) -> FaultDetail:
    body = _object(value)
    texts = {name: _text(body.get(name)) or "" for name in ("pointer", "code", "message", "key")}
    return FaultDetail(**texts, params=_object(body.get("params")))


def _read_retry_after(header: Optional[str], now: float) -> Optional[float]:
    """Return the seconds from now; the header has seconds or an HTTP date."""
    if header is None:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - now)
    except (TypeError, ValueError):
        return None


def _read_time(value: Any) -> Optional[datetime]:
    if isinstance(value, str) and value.isdigit():
        value = int(value)
    if isinstance(value, (int, float)):
        return datetime.fromtimestamp(value / 1000, timezone.utc)
    if not isinstance(value, str):
        return None
    try:
        return datetime.fromisoformat(value.replace("Z", "+00:00"))
    except ValueError:
        return None
