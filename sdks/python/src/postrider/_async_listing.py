"""Lists that have not been asked for yet, for an AsyncClient."""


from typing import IO, TYPE_CHECKING, Any, AsyncIterator, Generic, Mapping, Optional, Type

from ._call import create_call
from ._files import FileReading, FileType
from ._listing import WALK_PAGE_SIZE, Item, Page, read_page

if TYPE_CHECKING:
    from ._async_base import AsyncBase


class AsyncListing(Generic[Item]):
    """A list. Iterating walks all of it, one request for each page, when it is wanted."""

    def __init__(
        self,
        base: "AsyncBase",
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

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for item in page.items:
                yield item

    async def pages(self) -> AsyncIterator[Page[Item]]:
        """Walk the pages."""
        page = await self._fetch({"page_size": self._page_size or WALK_PAGE_SIZE})
        yield page
        while page.next_cursor is not None:
            cursor = {"cursor": page.next_cursor}
            page = await self._fetch({"page_size": self._page_size or WALK_PAGE_SIZE, **cursor})
            yield page

    async def page(self, page: Optional[int] = None, *, cursor: Optional[str] = None) -> Page[Item]:
        """Ask for one page: the first, one by number (the first 10,000 items), or by cursor."""
        return await self._fetch({"page_size": self._page_size, "page": page, "cursor": cursor})

    async def _fetch(self, position: Mapping[str, Any]) -> Page[Item]:
        query = {**self._query, **position}
        call = create_call("GET", self._target, query=query, timeout=self._timeout)
        return read_page(self._model, await self._base._run_call(call))


class AsyncListingFile:
    """A list as a file: text in pieces that end where a row ends. It can be read once."""

    def __init__(self, base: "AsyncBase", reading: FileReading) -> None:
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

    def __aiter__(self) -> AsyncIterator[str]:
        return self._text

    async def write_to(self, file: IO[str]) -> int:
        """Write all of it to an open file (`newline=""`), and return the number of rows."""
        async for text in self:
            file.write(text)
        return self.rows


class AsyncFileListing(AsyncListing[Item]):
    """A list that can be had as a file too: all of it, oldest first, as it was at one moment."""

    def csv(self, *, cursor: Optional[str] = None, head: bool = True) -> AsyncListingFile:
        """With the names of the columns, unless `head` is false; behind the row of `cursor`."""
        return self._open("csv", cursor, head)

    def ndjson(self, *, cursor: Optional[str] = None) -> AsyncListingFile:
        """One JSON object a line: the item and its `cursor`."""
        return self._open("ndjson", cursor, True)

    def _open(self, file_type: FileType, cursor: Optional[str], head: bool) -> AsyncListingFile:
        core = self._base._core
        place = (core, self._target, self._query, file_type, cursor, head, self._timeout)
        return AsyncListingFile(self._base, FileReading(*place))
