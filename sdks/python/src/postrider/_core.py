"""What a client does, without input and output: generators that ask for attempts and pauses.

Client and AsyncClient drive them, each in its own way.
"""

import json
from dataclasses import dataclass
from typing import Any, Callable, Dict, Generator, Optional, TypeVar, Union
from urllib.parse import urlsplit

import httpx

from ._call import Answer, Call
from .errors import ConnectionFailedError, PostriderError, ProblemError
from .retry import RetryPolicy, find_delay
from .signing import sign_request

Result = TypeVar("Result")

JSON_TYPES = "application/json, application/problem+json"
DEFAULT_TIMEOUT = 30.0
VERSION = "0.2.0"


@dataclass(frozen=True)
class Attempt:
    """Asks for one exchange with the service; gives an Answer, or throws a PostriderError."""

    call: Call


@dataclass(frozen=True)
class Sleep:
    """Asks for a pause."""

    seconds: float


Steps = Generator[Union[Attempt, Sleep], Any, Result]


def create_signer(api_secret: str) -> Callable[[str, str, int, bytes], str]:
    """Return a function that signs by the secret."""

    def sign(method: str, target: str, timestamp_ms: int, body: bytes) -> str:
        return sign_request(api_secret, method, target, timestamp_ms, body)

    return sign


class Core:
    """What the calls of one client share. Its text never has the secret."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        api_secret: str,
        timeout: Optional[float],
        retry: Optional[RetryPolicy],
        random: Callable[[], float],
        now: Callable[[], float],
        user_agent: Optional[str],
    ) -> None:
        address = urlsplit(base_url if isinstance(base_url, str) else "")
        if address.scheme not in ("http", "https") or not address.hostname:
            raise ValueError(
                f"base_url is an address like https://sms.example.com, not {base_url!r}"
            )
        for name, value in (("api_key", api_key), ("api_secret", api_secret)):
            # Most often an environment variable that is not set: better said now than as a 401 later.
            if not isinstance(value, str) or value == "":
                raise ValueError(f"{name} is missing")
        self.base_url = base_url.rstrip("/")
        self.timeout = DEFAULT_TIMEOUT if timeout is None else timeout
        self.retry = retry or RetryPolicy()
        self.random = random
        self.now = now
        self._api_key = api_key
        # A closure, so that the secret is in no dictionary that a debugger or a log may show.
        self._sign: Callable[[str, str, int, bytes], str] = create_signer(api_secret)
        self._user_agent = user_agent or f"postrider-python/{VERSION}"
        # Difference between the clock of the service and ours, learned when a timestamp was refused.
        self._skew = 0.0

    def __repr__(self) -> str:
        return f"{self.base_url} as {self._api_key}"

    def timeout_of(self, call: Call) -> float:
        """Return the seconds that an attempt may take."""
        return self.timeout if call.timeout is None else call.timeout

    def build_request(
        self, http: Union[httpx.Client, httpx.AsyncClient], call: Call
    ) -> httpx.Request:
        """Sign a call as it goes out, with the time as it is now."""
        headers: Dict[str, str] = {
            "accept": call.media_type or JSON_TYPES,
            "user-agent": self._user_agent,
            "x-api-key": self._api_key,
        }
        if call.media_type is not None:
            headers["accept"] = f"{call.media_type}, application/problem+json"
        if call.body != b"":
            headers["content-type"] = "application/json"
        request = http.build_request(
            call.method,
            self.base_url + call.target,
            content=call.body or None,
            headers=headers,
            timeout=self.timeout_of(call),
        )
        timestamp = int((self.now() + self._skew) * 1000)
        # The target as it stands on the request line, whatever has become of it on the way.
        target = request.url.raw_path.decode("ascii")
        request.headers["x-timestamp"] = str(timestamp)
        request.headers["x-sign"] = self._sign(call.method, target, timestamp, call.body)
        return request

    def check_status(self, response: httpx.Response, content: bytes) -> None:
        """Throw the problem that an answer is, unless it is a success."""
        if not response.is_success:
            raise ProblemError(response.status_code, response.headers, content, self.now())

    def refuse(self, response: httpx.Response, expected: str) -> ConnectionFailedError:
        """Return the error for an answer that is not of this API."""
        return ConnectionFailedError(
            "unreadable",
            f"{self.base_url} answered {response.status_code} with something that is not {expected};"
            " is it the address of Postrider?",
        )

    def read_answer(self, response: httpx.Response, content: bytes) -> Answer:
        """Read an answer that is JSON."""
        self.check_status(response, content)
        try:
            value = None if content == b"" else json.loads(content)
        except ValueError as error:
            raise self.refuse(response, "JSON") from error
        return Answer(value, response.headers)

    def explain(self, error: httpx.HTTPError, call: Call) -> ConnectionFailedError:
        """Say in our words what ended an attempt."""
        kind = type(error).__name__
        unreachable = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
        if isinstance(error, unreachable + (httpx.ProxyError, httpx.UnsupportedProtocol)):
            return ConnectionFailedError("unreachable", f"Cannot reach {self.base_url} ({kind})")
        if isinstance(error, httpx.TimeoutException):
            return self.time_is_over(call)
        return ConnectionFailedError("broken", f"The connection to {self.base_url} broke ({kind})")

    def time_is_over(self, call: Call) -> ConnectionFailedError:
        """Return the error for an attempt without an answer in time."""
        limit = self.timeout_of(call)
        return ConnectionFailedError("timeout", f"No answer from {self.base_url} within {limit} s")

    def learn_skew(self, error: ProblemError) -> bool:
        """Set our clock by that of the service, where it refused our time."""
        if error.code != "timestamp_out_of_range" or error.server_time is None:
            return False
        self._skew = error.server_time.timestamp() - self.now()
        return True

    def exchange(self, call: Call) -> Steps[Answer]:
        """One attempt. Only a clock that is off is corrected, and tried again."""
        try:
            answer: Answer = yield Attempt(call)
        except ProblemError as error:
            if not self.learn_skew(error):
                raise
            answer = yield Attempt(call)
        return answer

    def call(self, call: Call, repeatable: bool) -> Steps[Answer]:
        """As many attempts as the policy allows and are safe."""
        count = 1
        while True:
            try:
                return (yield from self.exchange(call))
            except PostriderError as error:
                delay = find_delay(error, count, repeatable, self.retry, self.random)
                if delay is None:
                    raise
                yield Sleep(delay)
                count += 1
