"""Calls as data: what is asked, and how it is written."""

import json
from dataclasses import dataclass, field
from datetime import datetime, timezone
from enum import Enum
from typing import Any, Dict, Mapping, Optional, Union
from urllib.parse import quote, urlencode


class Omitted(Enum):
    """Stands for a field that is not given, where None is a value of it."""

    OMITTED = "omitted"


OMITTED = Omitted.OMITTED


def path(pattern: str, *parameters: Union[str, int]) -> str:
    """Fill in the parameters of a path, encoded."""
    return pattern.format(*(quote(str(one), safe="") for one in parameters))


@dataclass(frozen=True)
class Call:
    """One call of the API; the same bytes go out with every attempt."""

    method: str
    # With its query.
    target: str
    body: bytes = b""
    # For one attempt, in seconds; None: that of the client.
    timeout: Optional[float] = None
    # Other than JSON, for a list as a file.
    media_type: Optional[str] = None


@dataclass(frozen=True)
class Answer:
    """What a call was answered with, when that was a success."""

    value: Any
    headers: Mapping[str, str] = field(default_factory=dict)


def create_call(
    method: str,
    target: str,
    query: Optional[Mapping[str, Any]] = None,
    body: Optional[Mapping[str, Any]] = None,
    timeout: Optional[float] = None,
    media_type: Optional[str] = None,
) -> Call:
    """Write a call down. Parameters that are None and fields that are not given are left out."""
    named = {name: _write_word(value) for name, value in (query or {}).items() if value is not None}
    text = f"{target}?{urlencode(named, quote_via=quote, safe='')}" if named else target
    content = b"" if body is None else encode_json(body).encode()
    return Call(method, text, content, timeout, media_type)


_NULL = object()


def nullable(value: Any) -> Any:
    """Mark a field for which None is a value; it is OMITTED unless given."""
    return _NULL if value is None else value


def pick_given(fields: Mapping[str, Any]) -> Dict[str, Any]:
    """Return the fields that were given."""
    given = {n: value for n, value in fields.items() if value is not None and value is not OMITTED}
    return {name: None if value is _NULL else value for name, value in given.items()}


def encode_json(value: Any) -> str:
    """Write JSON as JavaScript does: compact, and with characters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_write_other)


def _write_other(value: Any) -> Any:
    if isinstance(value, datetime):
        return write_time(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} cannot be sent")


def _write_word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return write_time(value) if isinstance(value, datetime) else str(value)


def write_time(value: datetime) -> str:
    """Write a time for the service; one without a zone could be any."""
    if value.tzinfo is None:
        raise ValueError("a datetime needs a time zone: datetime.now(timezone.utc)")
    text = value.astimezone(timezone.utc).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")
