"""A list as a file, on its way: cut where rows end, and opened again behind the last whole row."""

import json
from typing import Any, Dict, Literal, Mapping, NamedTuple, Optional

from ._call import Call, create_call
from ._core import Core
from .errors import ConnectionFailedError, PostriderError
from .retry import find_delay

FileType = Literal["csv", "ndjson"]
MEDIA_TYPES: Dict[FileType, str] = {"csv": "text/csv", "ndjson": "application/x-ndjson"}


class CutRows(NamedTuple):
    """Whole rows, as they came: none while none is complete."""

    text: bytes
    rows: int
    last: bytes


class RowCutter:
    """Cuts a file that comes in pieces of any size where its rows end.

    Within quotes, a line break is a part of the cell; quotes inside of them are doubled, so counting
    all of them tells which it is. No byte of another character is a quote or a line break.
    """

    def __init__(self, file_type: FileType) -> None:
        self._has_quotes = file_type == "csv"
        self._is_quoted = False
        # The beginning of a row whose end has not come.
        self.rest = b""

    def push(self, piece: bytes) -> CutRows:
        """Take a piece in, and return the rows that are complete with it."""
        text = self.rest + piece
        rows, last_start, end = 0, 0, 0
        # The rest was looked through when it came.
        position = len(self.rest)
        while True:
            line_end = text.find(b"\n", position)
            stretch_end = len(text) if line_end == -1 else line_end
            if self._has_quotes and text.count(b'"', position, stretch_end) % 2 == 1:
                self._is_quoted = not self._is_quoted
            if line_end == -1:
                break
            position = line_end + 1
            if not self._is_quoted:
                rows += 1
                last_start, end = end, position
        self.rest = text[end:]
        return CutRows(text[:end], rows, text[last_start:end])


def read_cursor(file_type: FileType, row: bytes) -> Optional[str]:
    """Return where to go on behind a row: its last column or field."""
    if file_type == "csv":
        return row.decode().rstrip().rpartition(",")[2] or None
    try:
        value: Any = json.loads(row)
    except ValueError:
        return None
    cursor = value.get("cursor") if isinstance(value, dict) else None
    return cursor if isinstance(cursor, str) else None


class FileReading:
    """How far a file has been read, over all its connections."""

    def __init__(
        self,
        core: Core,
        target: str,
        query: Mapping[str, Any],
        file_type: FileType,
        cursor: Optional[str],
        head: bool,
        timeout: Optional[float],
    ) -> None:
        self._core = core
        self._target = target
        self._query = query
        self._type: FileType = file_type
        self._wants_head = head
        self._timeout = timeout
        self._head: Optional[bytes] = None
        self._cutter = RowCutter(file_type)
        self._is_head_next = False
        self._failures = 0
        self._rows_before = 0
        self.rows = 0
        self.cursor = cursor

    def open(self) -> Call:
        """Return the call for all that is left."""
        self._cutter = RowCutter(self._type)
        self._is_head_next = self._type == "csv"
        self._rows_before = self.rows
        query = {**self._query, "cursor": self.cursor}
        media_type = MEDIA_TYPES[self._type]
        return create_call(
            "GET", self._target, query=query, timeout=self._timeout, media_type=media_type
        )

    def take(self, piece: bytes) -> str:
        """Return the whole rows that a piece completes."""
        text, count, last = self._cutter.push(piece)
        if count == 0:
            return ""
        if self._is_head_next:
            first = text[: text.index(b"\n") + 1]
            if self._head is None:
                text = text if self._wants_head else text[len(first) :]
                self._head = first
            elif first != self._head:
                # Rows of another version of the service must not get under this head.
                raise ConnectionFailedError("unreadable", "The columns have changed meanwhile")
            else:
                text = text[len(first) :]
            self._is_head_next = False
            count -= 1
        self.rows += count
        if count > 0:
            self.cursor = read_cursor(self._type, last)
        return text.decode()

    def close(self) -> None:
        """Check that the file has not ended within a row."""
        if self._cutter.rest != b"":
            raise ConnectionFailedError("broken", "The file ended within a row")

    def find_delay(self, error: PostriderError) -> Optional[float]:
        """Return the pause before the file is opened again; None where it is not."""
        self._failures = 1 if self.rows > self._rows_before else self._failures + 1
        core = self._core
        return find_delay(error, self._failures, True, core.retry, core.random)
