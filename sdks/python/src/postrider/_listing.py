"""Lists that have not been asked for yet."""

from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Generic, Iterator, List, Mapping, Optional, Type, TypeVar

from ._call import create_call
from ._decode import decode_list
from ._files import FileReading, FileType
from .errors import ConnectionFailedError

if TYPE_CHECKING:
    from ._base import Base

Item = TypeVar("Item")
# That of a walk, the largest there is: fewest requests.
WALK_PAGE_SIZE = 100


@dataclass(frozen=True)
class Page(Generic[Item]):
    """One page of a list."""

    items: List[Item]
    page: int
    page_size: int
    # Exact up to 10,000, which `total_is_exact` says.
    total: int
    total_is_exact: bool
    # None on the last page.
    next_cursor: Optional[str]


def read_page(model: Type[Item], value: Any) -> Page[Item]:
    """Make a page of the JSON that the service answered."""
    try:
        return Page(
            decode_list(model, value["items"]),
            value["page"],
            value["page_size"],
            value["total"],
            value["total_is_exact"],
            value["next_cursor"],
        )
    except (KeyError, TypeError) as error:
        raise ConnectionFailedError("unreadable", "The answer is no page of a list") from error


class Listing(Generic[Item]):
    """A list. Iterating walks all of it, one request for each page, when it is wanted."""

    def __init__(
        self,
        base: "Base",
        model: Type[Item],
        target: str,
        query: Mapping[str, Any],
        page_size: Optional[int],
        timeout: Optional[float],
    ) -> None:
        self._base = base
        self._model = model
        self._target = target
        self._query = query
        self._page_size = page_size
        self._timeout = timeout

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from page.items

    def pages(self) -> Iterator[Page[Item]]:
        """Walk the pages."""
        page = self._fetch({"page_size": self._page_size or WALK_PAGE_SIZE})
        yield page
        while page.next_cursor is not None:
            cursor = {"cursor": page.next_cursor}
            page = self._fetch({"page_size": self._page_size or WALK_PAGE_SIZE, **cursor})
            yield page

    def page(self, page: Optional[int] = None, *, cursor: Optional[str] = None) -> Page[Item]:
        """Ask for one page: the first, one by number (the first 10,000 items), or by cursor."""
        return self._fetch({"page_size": self._page_size, "page": page, "cursor": cursor})

    def _fetch(self, position: Mapping[str, Any]) -> Page[Item]:
        query = {**self._query, **position}
        call = create_call("GET", self._target, query=query, timeout=self._timeout)
        return read_page(self._model, self._base._run_call(call))


class ListingFile:
    """A list as a file: text in pieces that end where a row ends. It can be read once."""

    def __init__(self, base: "Base", reading: FileReading) -> None:
        self._base = base
        self._reading = reading
        self._text = base._read_file(reading)

    @property
    def rows(self) -> int:
        """The rows handed out so far."""
        return self._reading.rows

    @property
    def cursor(self) -> Optional[str]:
        """That of the last row handed out: what a later file goes on from."""
        return self._reading.cursor

    def __iter__(self) -> Iterator[str]:
        return self._text

    def write_to(self, file: IO[str]) -> int:
        """Write all of it to an open file (`newline=""`), and return the number of rows."""
        for text in self:
            file.write(text)
        return self.rows


class FileListing(Listing[Item]):
    """A list that can be had as a file too: all of it, oldest first, as it was at one moment."""

    def csv(self, *, cursor: Optional[str] = None, head: bool = True) -> ListingFile:
        """With the names of the columns, unless `head` is false; behind the row of `cursor`."""
        return self._open("csv", cursor, head)

    def ndjson(self, *, cursor: Optional[str] = None) -> ListingFile:
        """One JSON object a line: the item and its `cursor`."""
        return self._open("ndjson", cursor, True)

    def _open(self, file_type: FileType, cursor: Optional[str], head: bool) -> ListingFile:
        core = self._base._core
        place = (core, self._target, self._query, file_type, cursor, head, self._timeout)
        return ListingFile(self._base, FileReading(*place))
