"""The conformance runner of the Python client: see sdks/README.md. `--async` tries AsyncClient."""

import asyncio
import io
import json
import sys
import time
import traceback
from dataclasses import fields, is_dataclass
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any, Callable, Dict, List, Union

import postrider
from postrider import AsyncClient, Client, RetryPolicy

SLEEPS: List[float] = []


class RunnerClock:
    """Notes what it is asked to sleep, and does not sleep unless it is to."""

    def __init__(self, offset_ms: float = 0, sleep: str = "virtual") -> None:
        self.offset = offset_ms / 1000
        self.is_virtual = sleep == "virtual"

    def now(self) -> float:
        return time.time() + self.offset

    def note(self, seconds: float) -> float:
        SLEEPS.append(round(seconds * 1000, 6))
        if not self.is_virtual:
            return seconds
        self.offset += seconds
        return 0.0

    def sleep(self, seconds: float) -> None:
        time.sleep(self.note(seconds))


class AsyncRunnerClock(RunnerClock):
    async def sleep(self, seconds: float) -> None:  # type: ignore[override]
        await asyncio.sleep(self.note(seconds))


def wire(value: Any) -> Any:
    """Write what the client gives as it travels; an amount says that it is a decimal."""
    if is_dataclass(value):
        return {one.name.rstrip("_"): wire(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Decimal):
        return {"$decimal": format(value, "f")}
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(value, dict):
        return {name: wire(one) for name, one in value.items()}
    return [wire(one) for one in value] if isinstance(value, list) else value


def describe_error(error: Exception) -> Dict[str, Any]:
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    if isinstance(error, postrider.ProblemError):
        names = ("status", "code", "key", "params", "title", "detail", "request_id", "from_service")
        told = {name: getattr(error, name) for name in names}
        seconds, server_time = error.retry_after, error.server_time
        return {
            **told,
            "kind": "problem",
            "text": text + repr(error),
            "errors": [wire(one) for one in error.errors],
            "retry_after_ms": None if seconds is None else seconds * 1000,
            "server_time_ms": None if server_time is None else server_time.timestamp() * 1000,
            "outcome_unknown": error.outcome_unknown,
        }
    if isinstance(error, postrider.ConnectionFailedError):
        lost = {"reason": error.reason, "client_request_id": error.client_request_id}
        return {"kind": "connection", "text": text, **lost}
    if isinstance(error, postrider.WaitTimeoutError):
        task_no = None if error.task is None else error.task.task_no
        return {"kind": "wait_timeout", "text": text, "task_no": task_no}
    if isinstance(error, postrider.WebhookVerificationError):
        return {"kind": "webhook", "text": text}
    return {"kind": "argument" if isinstance(error, ValueError) else "other", "text": text}


def open_options(options: Dict[str, Any]) -> Dict[str, Any]:
    timeout_ms = options.get("timeout_ms")
    return {
        "base_url": options["base_url"],
        "api_key": options["api_key"],
        "api_secret": options["api_secret"],
        "timeout": None if timeout_ms is None else timeout_ms / 1000,
        "retry": RetryPolicy(**options["retry"]),
        "random": lambda: options["random"],
    }


def describe(client: object) -> Dict[str, str]:
    inside = " ".join(repr(vars(one)) for one in (client, getattr(client, "_core")))
    return {"text": f"{client} {client!r} {inside}"}


def sign(options: Dict[str, Any]) -> str:
    body = options["body"].encode()
    parts = (options["secret"], options["method"], options["target"], options["timestamp_ms"])
    return postrider.sign_request(*parts, body)


def verify_webhook(options: Dict[str, Any]) -> Dict[str, Any]:
    parts = (options["secret"], options["headers"], options["body"].encode())
    message = postrider.verify_webhook(*parts, now=lambda: float(options["now_ms"]) / 1000)
    items: List[Any] = getattr(message.data, "items")
    return {"id": message.id, "type": message.type, "items": len(items)}


def pick(options: Dict[str, Any], *names: str) -> Dict[str, Any]:
    return {name: options[name] for name in names if name in options}


def open_list(client: Any, options: Dict[str, Any]) -> Any:
    filters = options.get("filters", {})
    return getattr(client, options["list"])(**filters, **pick(options, "page_size"))


def send_all_options(options: Dict[str, Any]) -> Dict[str, Any]:
    return {**options["request"], **pick(options, "numbers_per_task", "concurrency")}


def seconds(options: Dict[str, Any]) -> float:
    return float(options["timeout_ms"]) / 1000


def file_result(text: str, file: Any) -> Dict[str, Any]:
    return {"text": text, "rows": file.rows, "cursor": file.cursor}


class Sync:
    """The calls with a Client."""

    client: Client

    def call(self, name: str, options: Dict[str, Any]) -> Any:
        client = getattr(self, "client", None)
        if name == "open":
            if client is not None:
                client.close()
            clock = RunnerClock(**options["clock"])
            self.client = Client(**open_options(options), clock=clock)
            return None
        return self.calls()[name](options)

    def calls(self) -> Dict[str, Callable[[Dict[str, Any]], Any]]:
        client = self.client
        return {
            "describe": lambda o: describe(client),
            "sign": sign,
            "verify_webhook": verify_webhook,
            "account": lambda o: client.account(),
            "send": lambda o: client.send_or_replay(**o["request"]),
            "preview": lambda o: client.preview(**o["request"]),
            "find_task": lambda o: client.find_task(o["client_request_id"]),
            "task": lambda o: client.task(o["task_no"]),
            "wait_for_task": lambda o: client.wait_for_task(o["task_no"], timeout=seconds(o)),
            "move_task": lambda o: getattr(client, f"{o['move']}_task")(o["task_no"]),
            "create_credential": lambda o: client.create_credential(**o["body"]),
            "page": lambda o: open_list(client, o).page(o.get("page"), **pick(o, "cursor")),
            "walk": lambda o: {"items": list(open_list(client, o))},
            "export": self.export,
            "send_all": lambda o: client.send_all(o["numbers"], **send_all_options(o)),
        }

    def export(self, options: Dict[str, Any]) -> Dict[str, Any]:
        make = getattr(open_list(self.client, options), options["format"])
        file = make(**pick(options, "cursor", "head"))
        text = io.StringIO(newline="")
        file.write_to(text)
        return file_result(text.getvalue(), file)


class Async:
    """The calls with an AsyncClient."""

    client: AsyncClient

    async def call(self, name: str, options: Dict[str, Any]) -> Any:
        client = getattr(self, "client", None)
        if name == "open":
            if client is not None:
                await client.aclose()
            clock = AsyncRunnerClock(**options["clock"])
            self.client = AsyncClient(**open_options(options), clock=clock)
            return None
        answer = self.calls()[name](options)
        return await answer if hasattr(answer, "__await__") else answer

    def calls(self) -> Dict[str, Callable[[Dict[str, Any]], Any]]:
        client = self.client
        return {
            "describe": lambda o: describe(client),
            "sign": sign,
            "verify_webhook": verify_webhook,
            "account": lambda o: client.account(),
            "send": lambda o: client.send_or_replay(**o["request"]),
            "preview": lambda o: client.preview(**o["request"]),
            "find_task": lambda o: client.find_task(o["client_request_id"]),
            "task": lambda o: client.task(o["task_no"]),
            "wait_for_task": lambda o: client.wait_for_task(o["task_no"], timeout=seconds(o)),
            "move_task": lambda o: getattr(client, f"{o['move']}_task")(o["task_no"]),
            "create_credential": lambda o: client.create_credential(**o["body"]),
            "page": lambda o: open_list(client, o).page(o.get("page"), **pick(o, "cursor")),
            "walk": self.walk,
            "export": self.export,
            "send_all": lambda o: client.send_all(o["numbers"], **send_all_options(o)),
        }

    async def walk(self, options: Dict[str, Any]) -> Dict[str, Any]:
        return {"items": [item async for item in open_list(self.client, options)]}

    async def export(self, options: Dict[str, Any]) -> Dict[str, Any]:
        make = getattr(open_list(self.client, options), options["format"])
        file = make(**pick(options, "cursor", "head"))
        text = io.StringIO(newline="")
        await file.write_to(text)
        return file_result(text.getvalue(), file)


async def main() -> None:
    runner: Union[Async, Sync] = Async() if "--async" in sys.argv else Sync()
    for line in sys.stdin:
        question = json.loads(line)
        SLEEPS.clear()
        try:
            result = runner.call(question["call"], question.get("with") or {})
            if isinstance(runner, Async):
                result = await result
            answer = {"ok": wire(result)}
        except Exception as error:
            answer = {"error": describe_error(error)}
        print(json.dumps({"id": question["id"], **answer, "sleeps_ms": SLEEPS}), flush=True)


asyncio.run(main())
