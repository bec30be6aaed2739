package postrider

import (
	"context"
	"net/http"
)

// That of a walk, the largest there is: fewest requests.
const walkPageSize = 100

// Page is one page of a list.
type Page[T any] struct {
	Items    []T   `json:"items"`
	Page     int64 `json:"page"`
	PageSize int64 `json:"page_size"`
	// Exact up to 10,000, which TotalIsExact says.
	Total        int64 `json:"total"`
	TotalIsExact bool  `json:"total_is_exact"`
	// Nil on the last page.
	NextCursor *string `json:"next_cursor"`
}

// List is a list that has not been asked for yet.
type List[T any] struct {
	client *Client
	target string
	query  []field
	// How many items are asked for at once. 0: 100 in a walk, 20 in a page.
	PageSize int
}

// Page asks for one page by its number, from 1 on, of the first 10,000 items.
func (l *List[T]) Page(ctx context.Context, number int) (*Page[T], error) {
	if number <= 1 {
		return l.fetch(ctx, l.PageSize, nil)
	}
	return l.fetch(ctx, l.PageSize, []field{{"page", number}})
}

// PageAt asks for the page that a NextCursor leads to.
func (l *List[T]) PageAt(ctx context.Context, cursor string) (*Page[T], error) {
	return l.fetch(ctx, l.PageSize, []field{{"cursor", cursor}})
}

// All walks all of the list, one request for each page, when it is wanted.
//
//	receipts := client.Receipts(postrider.ReceiptFilters{}).All(ctx)
//	for receipts.Next() {
//		fmt.Println(receipts.Item().Phone)
//	}
//	err := receipts.Err()
func (l *List[T]) All(ctx context.Context) *Iterator[T] {
	return &Iterator[T]{ctx: ctx, list: *l, at: -1}
}

func (l *List[T]) fetch(ctx context.Context, pageSize int, position []field) (*Page[T], error) {
	query := append([]field{}, l.query...)
	if pageSize != 0 {
		query = append(query, field{"page_size", pageSize})
	}
	target := withQuery(l.target, append(query, position...))
	return call[Page[T]](ctx, l.client, request{method: http.MethodGet, target: target, repeatable: true})
}

// Iterator walks a list.
type Iterator[T any] struct {
	ctx  context.Context
	list List[T]
	page *Page[T]
	at   int
	err  error
}

// Next goes to the next item; false at the end, and after an error, which Err has.
func (i *Iterator[T]) Next() bool {
	for i.err == nil {
		i.at++
		if i.page != nil && i.at < len(i.page.Items) {
			return true
		}
		var position []field
		if i.page != nil {
			if i.page.NextCursor == nil {
				return false
			}
			position = []field{{"cursor", *i.page.NextCursor}}
		}
		size := i.list.PageSize
		if size == 0 {
			size = walkPageSize
		}
		i.page, i.err = i.list.fetch(i.ctx, size, position)
		i.at = -1
	}
	return false
}

// Item returns the item that Next went to.
func (i *Iterator[T]) Item() *T { return &i.page.Items[i.at] }

// Err returns what ended the walk before the end of the list.
func (i *Iterator[T]) Err() error { return i.err }

// FileList is a list that can be had as a file too: all of it, oldest first, as it was at one moment.
type FileList[T any] struct{ List[T] }

func newList[T any](c *Client, target string, query []field) *List[T] {
	return &List[T]{client: c, target: target, query: query}
}

func newFileList[T any](c *Client, target string, query []field) *FileList[T] {
	return &FileList[T]{List[T]{client: c, target: target, query: query}}
}

// CSV is the file with the names of the columns in its first row.
func (l *FileList[T]) CSV(ctx context.Context, options ...FileOption) *File {
	return newFile(ctx, l.client, l.target, l.query, "text/csv", options)
}

// NDJSON has one JSON object a line: the item and its cursor.
func (l *FileList[T]) NDJSON(ctx context.Context, options ...FileOption) *File {
	return newFile(ctx, l.client, l.target, l.query, "application/x-ndjson", options)
}
