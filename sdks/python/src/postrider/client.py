"""The clients: what a customer may do."""

from types import TracebackType
from typing import Any, Callable, Mapping, Optional, Type, TypeVar

from ._async_calls import AsyncCustomerCalls
from ._call import create_call
from ._calls import CustomerCalls
from ._wait import wait_for_task
from .models import Task, TaskDetail

AnyClient = TypeVar("AnyClient", bound="Client")
AnyAsyncClient = TypeVar("AnyAsyncClient", bound="AsyncClient")


class Client(CustomerCalls):
    """A client of the customer API. It may be used by several threads.

    with Client("https://sms.example.com", api_key, api_secret) as client:
        task = client.send(template_no="M1", phones=["13800139001"], client_request_id="order-1")
    """

    def __enter__(self: AnyClient) -> AnyClient:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def find_task(
        self, client_request_id: str, *, timeout: Optional[float] = None
    ) -> Optional[Task]:
        """Find the task of one business request of yours; None when it was never accepted."""
        listing = self.tasks(client_request_id=client_request_id, page_size=1, timeout=timeout)
        return next(iter(listing.page().items), None)

    def wait_for_task(
        self,
        task_no: str,
        *,
        timeout: Optional[float] = None,
        until: Optional[Callable[[TaskDetail], bool]] = None,
        on_progress: Optional[Callable[[TaskDetail], None]] = None,
    ) -> TaskDetail:
        """Follow a task until it has finished, or waits for its caller.

        `waits_for` then says for what: `prepare`, `freeze`, `submit`, `funds`, `limit` or `resume`;
        it is None when the task has finished, or `until` ended the wait. `timeout` bounds the whole
        wait, in seconds: a WaitTimeoutError has the task as it was last seen.
        """
        return self._run(wait_for_task(self._core, task_no, timeout, until, on_progress))

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        timeout: Optional[float] = None,
    ) -> Any:
        """Call anything that this client has no method for, and return the JSON of the answer.

        A GET is retried, anything else only where the first attempt certainly did nothing.
        """
        return self._run_call(create_call(method, path, query, body, timeout), method == "GET")


class AsyncClient(AsyncCustomerCalls):
    """A client of the customer API for asyncio and trio.

    async with AsyncClient("https://sms.example.com", api_key, api_secret) as client:
        task = await client.send(template_no="M1", phones=["13800139001"])
    """

    async def __aenter__(self: AnyAsyncClient) -> AnyAsyncClient:
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self.aclose()

    async def find_task(
        self, client_request_id: str, *, timeout: Optional[float] = None
    ) -> Optional[Task]:
        """Find the task of one business request of yours; None when it was never accepted."""
        listing = self.tasks(client_request_id=client_request_id, page_size=1, timeout=timeout)
        return next(iter((await listing.page()).items), None)

    async def wait_for_task(
        self,
        task_no: str,
        *,
        timeout: Optional[float] = None,
        until: Optional[Callable[[TaskDetail], bool]] = None,
        on_progress: Optional[Callable[[TaskDetail], None]] = None,
    ) -> TaskDetail:
        """Follow a task until it has finished, or waits for its caller: see `Client`."""
        return await self._run(wait_for_task(self._core, task_no, timeout, until, on_progress))

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        timeout: Optional[float] = None,
    ) -> Any:
        """Call anything that this client has no method for: see `Client`."""
        call = create_call(method, path, query, body, timeout)
        return await self._run_call(call, method == "GET")
