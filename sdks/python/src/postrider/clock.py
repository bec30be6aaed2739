"""Time, replaceable so that tests need not wait."""

import time
from typing import Protocol

import anyio


class Clock(Protocol):
    """The time of a Client."""

    def now(self) -> float:
        """Return the seconds since the epoch."""

    def sleep(self, seconds: float) -> None:
        """Wait."""


class AsyncClock(Protocol):
    """The time of an AsyncClient."""

    def now(self) -> float:
        """Return the seconds since the epoch."""

    async def sleep(self, seconds: float) -> None:
        """Wait."""


class SystemClock:
    """The clock of the machine."""

    def now(self) -> float:
        """Return the seconds since the epoch."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)


class AsyncSystemClock:
    """The clock of the machine, under asyncio or trio."""

    def now(self) -> float:
        """Return the seconds since the epoch."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await anyio.sleep(seconds)
