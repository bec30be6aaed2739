"""When a call is tried again, and after which pause."""

from dataclasses import dataclass
from typing import Callable, Optional

from .errors import ConnectionFailedError, PostriderError, ProblemError


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how fast a call is tried again; times in seconds."""

    # The first time included: 1 turns retries off.
    attempts: int = 5
    first_delay: float = 0.2
    max_delay: float = 10.0
    # A longer `Retry-After` is handed to the caller instead of being waited for.
    max_retry_after: float = 60.0


def certainly_not_done(error: PostriderError) -> bool:
    """Tell whether the service certainly did not carry the request out."""
    if isinstance(error, ProblemError):
        return error.from_service and error.status != 500 and not error.outcome_unknown
    return isinstance(error, ConnectionFailedError) and error.reason == "unreachable"


def _is_transient(error: PostriderError) -> bool:
    if isinstance(error, ProblemError):
        return error.status == 429 or error.status >= 500
    return isinstance(error, ConnectionFailedError) and error.reason != "unreadable"


def find_delay(
    error: PostriderError,
    attempt: int,
    repeatable: bool,
    policy: RetryPolicy,
    random: Callable[[], float],
) -> Optional[float]:
    """Return the pause before the next attempt; None where another is of no use or not safe."""
    if attempt >= policy.attempts or not _is_transient(error):
        return None
    if not repeatable and not certainly_not_done(error):
        return None
    # Jitter over the upper half: clients that failed together must not come back together.
    ceiling = min(policy.max_delay, policy.first_delay * 2 ** (attempt - 1))
    backoff: float = ceiling * (0.5 + random() / 2)
    asked = error.retry_after if isinstance(error, ProblemError) else None
    if asked is None:
        return backoff
    if asked > policy.max_retry_after:
        return None
    # Never earlier than requested.
    return asked + random() * min(backoff, 0.5)
