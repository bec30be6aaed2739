"""The receiving end of a webhook (Standard Webhooks)."""

import base64
import binascii
import hashlib
import hmac
import json
import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Callable, Mapping, Union

from ._decode import decode, read_time
from .errors import ConnectionFailedError, WebhookVerificationError
from .models import (
    WEBHOOK_DATA,
    Batch,
    LowBalance,
    ReceiptItems,
    ReviewedTemplate,
    Task,
    TestMessage,
    UplinkItems,
)

# An older call, or one from the future, may be a replay.
TOLERANCE = 300


@dataclass(frozen=True)
class WebhookMessage:
    """What a webhook receives.

    `id` stays the same when a message comes again, so that it can be recognised. The class of `data`
    follows from `type`; of a type that this version does not know it is a dictionary.
    """

    id: str
    type: str
    timestamp: datetime
    data: Union[
        ReceiptItems,
        UplinkItems,
        Task,
        Batch,
        LowBalance,
        ReviewedTemplate,
        TestMessage,
        Mapping[str, Any],
    ]


def verify_webhook(
    secret: str,
    headers: Mapping[str, str],
    body: Union[bytes, str],
    *,
    now: Callable[[], float] = time.time,
) -> WebhookMessage:
    """Return the message of a call to your webhook, once it is proven to be from the service.

    `headers` are those of the request, in any case; `body` is as it came, before anything has parsed
    it. Throws a WebhookVerificationError otherwise: answer 400 then.
    """
    content = body.encode() if isinstance(body, str) else body
    message_id = _read_header(headers, "webhook-id")
    timestamp = _read_header(headers, "webhook-timestamp")
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        raise WebhookVerificationError("the timestamp is no number")
    if abs(now() - int(timestamp)) > TOLERANCE:
        raise WebhookVerificationError("the timestamp is too far from now")
    signed = f"{message_id}.{timestamp}.".encode() + content
    expected = hmac.new(_read_secret(secret), signed, hashlib.sha256).digest()
    # During a rotation there are several: by the new secret and by the old one.
    signatures = _read_header(headers, "webhook-signature").split(" ")
    if not any(_is_by(expected, signature) for signature in signatures):
        raise WebhookVerificationError("no signature is by this secret")
    return _read_message(message_id, content)


def _read_header(headers: Mapping[str, str], name: str) -> str:
    for given, value in headers.items():
        if given.lower() == name and value != "":
            return value
    raise WebhookVerificationError(f"the header {name} is missing")


def _read_secret(secret: str) -> bytes:
    encoded = secret[len("whsec_") :] if secret.startswith("whsec_") else secret
    key = _decode_base64(encoded)
    if key == b"":
        raise WebhookVerificationError("the secret must be whsec_ and base64, as it was shown")
    return key


def _is_by(expected: bytes, signature: str) -> bool:
    version, _, encoded = signature.partition(",")
    return version == "v1" and hmac.compare_digest(_decode_base64(encoded), expected)


def _decode_base64(text: str) -> bytes:
    """Return nothing for what is no base64; missing padding is forgiven."""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""


def _read_message(message_id: str, content: bytes) -> WebhookMessage:
    try:
        value = json.loads(content)
        model: Any = WEBHOOK_DATA.get(value["type"])
        data = value["data"] if model is None else decode(model, value["data"])
        return WebhookMessage(message_id, value["type"], read_time(value["timestamp"]), data)
    except (ConnectionFailedError, KeyError, TypeError, ValueError) as error:
        raise WebhookVerificationError("the message cannot be read") from error
