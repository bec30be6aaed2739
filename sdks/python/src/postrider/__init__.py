"""The Python client of Postrider: send messages, follow tasks, reconcile money."""

from . import models
from ._async_listing import AsyncFileListing, AsyncListing, AsyncListingFile
from ._call import OMITTED, Omitted
from ._core import VERSION as __version__
from ._listing import FileListing, Listing, ListingFile, Page
from ._send import SendAllNumber, SendAllProgress, SendAllSummary, SentTask
from ._wait import is_finished
from .client import AsyncClient, Client
from .clock import AsyncClock, AsyncSystemClock, Clock, SystemClock
from .errors import (
    ConnectionFailedError,
    ConnectionFailure,
    FaultDetail,
    PostriderError,
    ProblemError,
    WaitTimeoutError,
    WebhookVerificationError,
)
from .retry import RetryPolicy
from .signing import sign_request
from .webhooks import WebhookMessage, verify_webhook

__all__ = [
    "OMITTED",
    "AsyncClient",
    "AsyncClock",
    "AsyncFileListing",
    "AsyncListing",
    "AsyncListingFile",
    "AsyncSystemClock",
    "Client",
    "Clock",
    "ConnectionFailedError",
    "ConnectionFailure",
    "FaultDetail",
    "FileListing",
    "Listing",
    "ListingFile",
    "Omitted",
    "Page",
    "PostriderError",
    "ProblemError",
    "RetryPolicy",
    "SendAllNumber",
    "SendAllProgress",
    "SendAllSummary",
    "SentTask",
    "SystemClock",
    "WaitTimeoutError",
    "WebhookMessage",
    "WebhookVerificationError",
    "__version__",
    "is_finished",
    "models",
    "sign_request",
    "verify_webhook",
]
