"""The input and output of an AsyncClient, under asyncio or trio."""

from random import random as random_number
from typing import (
    Any,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Iterable,
    List,
    Mapping,
    Optional,
    Type,
    TypeVar,
    Union,
)

import anyio
import httpx

from ._async_listing import AsyncFileListing, AsyncListing
from ._call import Answer, Call, create_call, pick_given
from ._core import Attempt, Core, Sleep, Steps
from ._decode import decode_answer
from ._files import FileReading
from ._send import (
    CutRequest,
    RequestCutter,
    SendAllNumber,
    SendAllProgress,
    SendAllSummary,
    SentTask,
    send_safely,
)
from .clock import AsyncClock, AsyncSystemClock
from .errors import PostriderError, ProblemError
from .retry import RetryPolicy

Model = TypeVar("Model")
Result = TypeVar("Result")


class AsyncBase:
    """What the methods of an AsyncClient are made of."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        api_secret: str,
        *,
        timeout: Optional[float] = None,
        retry: Optional[RetryPolicy] = None,
        http_client: Optional[httpx.AsyncClient] = None,
        clock: Optional[AsyncClock] = None,
        random: Callable[[], float] = random_number,
        user_agent: Optional[str] = None,
    ) -> None:
        """Nothing is sent yet; a missing option is refused at once.

        `timeout` is for one attempt, in seconds (30). `http_client` replaces the connections: for a
        proxy, certificates, a test. It is closed by who made it.
        """
        self._clock = clock or AsyncSystemClock()
        self._core = Core(
            base_url, api_key, api_secret, timeout, retry, random, self._clock.now, user_agent
        )
        self._http = http_client or httpx.AsyncClient()
        self._owns_http = http_client is None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._core!r}>"

    async def aclose(self) -> None:
        """Close the connections."""
        if self._owns_http:
            await self._http.aclose()

    async def _run(self, steps: Steps[Result]) -> Result:
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
                await self._clock.sleep(step.seconds)
                continue
            try:
                result = await self._attempt(step)
            except PostriderError as failure:
                error = failure

    async def _attempt(self, attempt: Attempt) -> Answer:
        call, core = attempt.call, self._core
        try:
            with anyio.fail_after(core.timeout_of(call)):
                response = await self._http.send(
                    core.build_request(self._http, call), follow_redirects=False
                )
        except TimeoutError as error:
            raise core.time_is_over(call) from error
        except httpx.HTTPError as error:
            raise core.explain(error, call) from error
        return core.read_answer(response, response.content)

    async def _run_call(self, call: Call, repeatable: bool = True) -> Any:
        return (await self._run(self._core.call(call, repeatable))).value

    async def _call(
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
        return decode_answer(model, await self._run_call(call, repeatable))

    def _list(
        self,
        model: Type[Model],
        target: str,
        query: Mapping[str, Any],
        page_size: Optional[int],
        timeout: Optional[float],
    ) -> AsyncListing[Model]:
        return AsyncListing(self, model, target, query, page_size, timeout)

    def _file_list(
        self,
        model: Type[Model],
        target: str,
        query: Mapping[str, Any],
        page_size: Optional[int],
        timeout: Optional[float],
    ) -> AsyncFileListing[Model]:
        return AsyncFileListing(self, model, target, query, page_size, timeout)

    async def _read_file(self, reading: FileReading) -> AsyncIterator[str]:
        while True:
            try:
                async for piece in self._stream(reading.open()):
                    text = reading.take(piece)
                    if text != "":
                        yield text
                reading.close()
                return
            except PostriderError as error:
                delay = reading.find_delay(error)
                if delay is None:
                    raise
                await self._clock.sleep(delay)

    async def _stream(self, call: Call) -> AsyncIterator[bytes]:
        try:
            async for piece in self._stream_once(call):
                yield piece
            return
        except ProblemError as error:
            # Refused before the first piece, so nothing comes twice.
            if not self._core.learn_skew(error):
                raise
        async for piece in self._stream_once(call):
            yield piece

    async def _stream_once(self, call: Call) -> AsyncIterator[bytes]:
        core = self._core
        try:
            response = await self._http.send(
                core.build_request(self._http, call), stream=True, follow_redirects=False
            )
            try:
                if not response.is_success:
                    core.check_status(response, await response.aread())
                if not response.headers.get("content-type", "").startswith(str(call.media_type)):
                    raise core.refuse(response, str(call.media_type))
                async for piece in response.aiter_bytes():
                    yield piece
            finally:
                await response.aclose()
        except httpx.HTTPError as error:
            raise core.explain(error, call) from error

    async def _send(self, fields: Mapping[str, Any], timeout: Optional[float]) -> SentTask:
        return await self._run(send_safely(self._core, fields, timeout))

    async def _send_all(
        self,
        fields: Mapping[str, Any],
        numbers: Union[Iterable[SendAllNumber], AsyncIterable[SendAllNumber]],
        numbers_per_task: int,
        concurrency: int,
        on_progress: Optional[Callable[[SendAllProgress], None]],
        timeout: Optional[float],
    ) -> SendAllSummary:
        cutter = RequestCutter(fields, numbers_per_task, concurrency)
        requests = _cut(cutter, numbers)
        lock = anyio.Lock()
        summary = SendAllSummary(cutter.batch_id)
        failure: Optional[Exception] = None

        async def find_next() -> Optional[CutRequest]:
            async with lock:
                if failure is not None:
                    return None
                async for request in requests:
                    return request
                return None

        async def send_some() -> None:
            nonlocal summary, failure
            try:
                while True:
                    request = await find_next()
                    if request is None:
                        return
                    sent = await self._send(request.fields, timeout)
                    summary = summary.add(request.batch_id, sent)
                    if on_progress is not None:
                        progress = (sent.task, request.index, sent.replayed, summary)
                        on_progress(SendAllProgress(*progress))
            except Exception as error:
                # The others finish what they have begun, so that all is known that can be.
                failure = failure or error

        async with anyio.create_task_group() as senders:
            for _ in range(concurrency):
                senders.start_soon(send_some)
        if failure is not None:
            raise failure
        return summary


async def _cut(
    cutter: RequestCutter, numbers: Union[Iterable[SendAllNumber], AsyncIterable[SendAllNumber]]
) -> AsyncIterator[CutRequest]:
    chunk: List[SendAllNumber] = []
    async for number in _walk(numbers):
        chunk.append(number)
        if len(chunk) == cutter.size:
            yield cutter.cut(chunk)
            chunk = []
    if chunk:
        yield cutter.cut(chunk)


async def _walk(
    numbers: Union[Iterable[SendAllNumber], AsyncIterable[SendAllNumber]]
) -> AsyncIterator[SendAllNumber]:
    if isinstance(numbers, AsyncIterable):
        async for number in numbers:
            yield number
    else:
        for number in numbers:
            yield number
