"""The input and output of a Client."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from random import random as random_number
from typing import Any, Callable, Iterable, Iterator, List, Mapping, Optional, Type, TypeVar

import httpx

from ._call import Answer, Call, create_call, pick_given
from ._core import Attempt, Core, Sleep, Steps
from ._decode import decode_answer
from ._files import FileReading
from ._listing import FileListing, Listing
from ._send import (
    CutRequest,
    RequestCutter,
    SendAllNumber,
    SendAllProgress,
    SendAllSummary,
    SentTask,
    send_safely,
)
from .clock import Clock, SystemClock
from .errors import PostriderError, ProblemError
from .retry import RetryPolicy

Model = TypeVar("Model")
Result = TypeVar("Result")


class Base:
    """What the methods of a Client are made of."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        api_secret: str,
        *,
        timeout: Optional[float] = None,
        retry: Optional[RetryPolicy] = None,
        http_client: Optional[httpx.Client] = None,
        clock: Optional[Clock] = None,
        random: Callable[[], float] = random_number,
        user_agent: Optional[str] = None,
    ) -> None:
        """Nothing is sent yet; a missing option is refused at once.

        `timeout` is for one attempt, in seconds (30). `http_client` replaces the connections: for a
        proxy, certificates, a test. It is closed by who made it.
        """
        self._clock = clock or SystemClock()
        self._core = Core(
            base_url, api_key, api_secret, timeout, retry, random, self._clock.now, user_agent
        )
        self._http = http_client or httpx.Client()
        self._owns_http = http_client is None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._core!r}>"

    def close(self) -> None:
        """Close the connections."""
        if self._owns_http:
            self._http.close()

    def _run(self, steps: Steps[Result]) -> Result:
        """Do what the steps ask for."""
        result: Any = None
        error: Optional[PostriderError] = None
        while True:
            try:
                step = steps.send(result) if error is None else steps.throw(error)
            except StopIteration as stop:
                value: Result = stop.value
                return value
            result = error = None
            if isinstance(step, Sleep):
                self._clock.sleep(step.seconds)
                continue
            try:
                result = self._attempt(step)
            except PostriderError as failure:
                error = failure

    def _attempt(self, attempt: Attempt) -> Answer:
        call, core = attempt.call, self._core
        deadline = time.monotonic() + core.timeout_of(call)
        pieces: List[bytes] = []
        try:
            response = self._http.send(
                core.build_request(self._http, call), stream=True, follow_redirects=False
            )
            try:
                # Each wait is limited by itself; an answer that trickles in has to end as well.
                for piece in response.iter_bytes():
                    pieces.append(piece)
                    if time.monotonic() > deadline:
                        raise core.time_is_over(call)
            finally:
                response.close()
        except httpx.HTTPError as error:
            raise core.explain(error, call) from error
        return core.read_answer(response, b"".join(pieces))

    def _run_call(self, call: Call, repeatable: bool = True) -> Any:
        return self._run(self._core.call(call, repeatable)).value

    def _call(
        self,
        model: Type[Model],
        method: str,
        target: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        repeatable: bool,
        timeout: Optional[float],
    ) -> Model:
        given = None if body is None else pick_given(body)
        call = create_call(method, target, query, given, timeout)
        return decode_answer(model, self._run_call(call, repeatable))

    def _list(
        self,
        model: Type[Model],
        target: str,
        query: Mapping[str, Any],
        page_size: Optional[int],
        timeout: Optional[float],
    ) -> Listing[Model]:
        return Listing(self, model, target, query, page_size, timeout)

    def _file_list(
        self,
        model: Type[Model],
        target: str,
        query: Mapping[str, Any],
        page_size: Optional[int],
        timeout: Optional[float],
    ) -> FileListing[Model]:
        return FileListing(self, model, target, query, page_size, timeout)

    def _read_file(self, reading: FileReading) -> Iterator[str]:
        while True:
            try:
                for piece in self._stream(reading.open()):
                    text = reading.take(piece)
                    if text != "":
                        yield text
                reading.close()
                return
            except PostriderError as error:
                delay = reading.find_delay(error)
                if delay is None:
                    raise
                self._clock.sleep(delay)

    def _stream(self, call: Call) -> Iterator[bytes]:
        try:
            yield from self._stream_once(call)
        except ProblemError as error:
            # Refused before the first piece, so nothing comes twice.
            if not self._core.learn_skew(error):
                raise
            yield from self._stream_once(call)

    def _stream_once(self, call: Call) -> Iterator[bytes]:
        core = self._core
        try:
            response = self._http.send(
                core.build_request(self._http, call), stream=True, follow_redirects=False
            )
            try:
                if not response.is_success:
                    core.check_status(response, response.read())
                if not response.headers.get("content-type", "").startswith(str(call.media_type)):
                    raise core.refuse(response, str(call.media_type))
                yield from response.iter_bytes()
            finally:
                response.close()
        except httpx.HTTPError as error:
            raise core.explain(error, call) from error

    def _send(self, fields: Mapping[str, Any], timeout: Optional[float]) -> SentTask:
        return self._run(send_safely(self._core, fields, timeout))

    def _send_all(
        self,
        fields: Mapping[str, Any],
        numbers: Iterable[SendAllNumber],
        numbers_per_task: int,
        concurrency: int,
        on_progress: Optional[Callable[[SendAllProgress], None]],
        timeout: Optional[float],
    ) -> SendAllSummary:
        cutter = RequestCutter(fields, numbers_per_task, concurrency)
        requests = _cut(cutter, numbers)
        lock = threading.Lock()
        summary = SendAllSummary(cutter.batch_id)
        failed = False

        def send_some() -> None:
            nonlocal summary, failed
            try:
                while True:
                    with lock:
                        request = None if failed else next(requests, None)
                    if request is None:
                        return
                    sent = self._send(request.fields, timeout)
                    with lock:
                        summary = summary.add(request.batch_id, sent)
                        if on_progress is not None:
                            progress = (sent.task, request.index, sent.replayed, summary)
                            on_progress(SendAllProgress(*progress))
            except BaseException:
                # The others finish what they have begun, so that all is known that can be.
                failed = True
                raise

        with ThreadPoolExecutor(concurrency, "postrider-send-all") as pool:
            senders = [pool.submit(send_some) for _ in range(concurrency)]
        for sender in senders:
            sender.result()
        return summary


def _cut(cutter: RequestCutter, numbers: Iterable[SendAllNumber]) -> Iterator[CutRequest]:
    chunk: List[SendAllNumber] = []
    for number in numbers:
        chunk.append(number)
        if len(chunk) == cutter.size:
            yield cutter.cut(chunk)
            chunk = []
    if chunk:
        yield cutter.cut(chunk)
