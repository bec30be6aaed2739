package postrider

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// FileOption changes a file that is asked for.
type FileOption func(*File)

// From goes on behind the row with this cursor: that of the last one you have.
func From(cursor string) FileOption { return func(f *File) { f.cursor = cursor } }

// WithoutHead leaves the names of the columns out, for what is appended to a file that has them.
func WithoutHead() FileOption { return func(f *File) { f.leavesHeadOut = true } }

// File is a list as a file, on its way: whole rows, fetched no faster than they are read, with constant memory. It can be
// read once. After a broken connection it goes on behind the last whole row.
type File struct {
	ctx           context.Context
	client        *Client
	target        string
	query         []field
	mediaType     string
	leavesHeadOut bool
	stream        *stream
	cutter        *rowCutter
	isHeadNext    bool
	head          []byte
	failures      int
	rowsBefore    int64
	rows          int64
	cursor        string
	text          []byte
	isOver        bool
	err           error
}

func newFile(ctx context.Context, c *Client, target string, query []field, mediaType string, options []FileOption) *File {
	file := &File{ctx: ctx, client: c, target: target, query: query, mediaType: mediaType}
	for _, option := range options {
		option(file)
	}
	return file
}

// Next fetches more rows, which Bytes has; false at the end, and after an error, which Err has.
func (f *File) Next() bool {
	for !f.isOver && f.err == nil {
		text, err := f.step()
		if err == nil && len(text) > 0 {
			f.text = text
			return true
		}
		if err == io.EOF {
			f.isOver = true
		} else if err != nil {
			f.recover(err)
		}
	}
	f.Close()
	return false
}

// Bytes returns the rows that Next fetched, whole ones, with their line ends.
func (f *File) Bytes() []byte { return f.text }

// Rows returns how many rows were handed out, without the head.
func (f *File) Rows() int64 { return f.rows }

// Cursor returns that of the last row handed out, for From; of the options before the first, "" without.
func (f *File) Cursor() string { return f.cursor }

// Err returns what ended the file before its end.
func (f *File) Err() error { return f.err }

// WriteTo writes all of it, and returns the number of bytes.
func (f *File) WriteTo(out io.Writer) (int64, error) {
	defer f.Close()
	written := int64(0)
	for f.Next() {
		count, err := out.Write(f.Bytes())
		written += int64(count)
		if err != nil {
			return written, err
		}
	}
	return written, f.Err()
}

// Close ends the reading; needed only for a file that is not read to its end.
func (f *File) Close() {
	f.isOver = true
	f.disconnect()
}

func (f *File) disconnect() {
	if f.stream != nil {
		f.stream.close()
		f.stream = nil
	}
}

// A row since the last failure begins the count of failures anew.
func (f *File) recover(err error) {
	f.disconnect()
	f.failures++
	if f.rows > f.rowsBefore {
		f.failures = 1
	}
	delay, again := f.client.findDelay(err, f.failures, true)
	if !again {
		f.err = err
		return
	}
	f.err = f.client.pause(f.ctx, delay, err)
}

func (f *File) step() ([]byte, error) {
	if f.stream == nil {
		if err := f.connect(); err != nil {
			return nil, err
		}
	}
	piece, err := f.stream.read()
	if len(piece) > 0 {
		return f.take(piece)
	}
	if err == io.EOF && len(f.cutter.rest) > 0 {
		return nil, &ConnectionError{Reason: ConnectionBroken, Message: "the file ended within a row"}
	}
	return nil, err
}

func (f *File) connect() error {
	f.cutter = &rowCutter{hasQuotes: f.mediaType == "text/csv"}
	f.isHeadNext = f.mediaType == "text/csv"
	f.rowsBefore = f.rows
	query := append([]field{}, f.query...)
	if f.cursor != "" {
		query = append(query, field{"cursor", f.cursor})
	}
	call := written{method: http.MethodGet, target: withQuery(f.target, query), timeout: f.client.timeout}
	opened, err := f.client.openStream(f.ctx, call, f.mediaType)
	if err != nil && f.client.learnSkew(err) {
		opened, err = f.client.openStream(f.ctx, call, f.mediaType)
	}
	f.stream = opened
	return err
}

// take returns the whole rows that a piece completes.
func (f *File) take(piece []byte) ([]byte, error) {
	text, count, last := f.cutter.push(piece)
	if count == 0 {
		return nil, nil
	}
	if f.isHeadNext {
		first := text[:bytes.IndexByte(text, '\n')+1]
		switch {
		case f.head == nil:
			f.head = append([]byte{}, first...)
			if f.leavesHeadOut {
				text = text[len(first):]
			}
		case !bytes.Equal(first, f.head):
			// Rows of another version of the service must not get under this head.
			return nil, &ConnectionError{Reason: ConnectionUnreadable, Message: "the columns of the file have changed meanwhile"}
		default:
			text = text[len(first):]
		}
		f.isHeadNext = false
		count--
	}
	if count > 0 {
		f.rows += int64(count)
		f.cursor = f.readCursor(last)
	}
	return text, nil
}

// Where to go on behind a row: its last column or field.
func (f *File) readCursor(row []byte) string {
	if f.mediaType == "text/csv" {
		text := strings.TrimRight(string(row), "\r\n")
		return text[strings.LastIndexByte(text, ',')+1:]
	}
	var item struct {
		Cursor string `json:"cursor"`
	}
	_ = json.Unmarshal(row, &item)
	return item.Cursor
}

// rowCutter cuts a file that comes in pieces of any size where its rows end. Within quotes, a line break is a part of the
// cell; quotes inside of them are doubled, so counting all of them tells which it is. No byte of another character is a
// quote or a line break.
type rowCutter struct {
	hasQuotes bool
	isQuoted  bool
	// The beginning of a row whose end has not come.
	rest []byte
}

func (r *rowCutter) push(piece []byte) (text []byte, rows int, last []byte) {
	all := append(r.rest, piece...)
	lastStart, end := 0, 0
	// The rest was looked through when it came.
	for at := len(r.rest); at < len(all); at++ {
		if r.hasQuotes && all[at] == '"' {
			r.isQuoted = !r.isQuoted
		}
		if all[at] == '\n' && !r.isQuoted {
			rows++
			lastStart, end = end, at+1
		}
	}
	r.rest = append([]byte{}, all[end:]...)
	return all[:end], rows, all[lastStart:end]
}

// stream is an answer that is read piece by piece; the time is limited for each.
type stream struct {
	client  *Client
	timeout time.Duration
	cancel  context.CancelFunc
	timer   *time.Timer
	isLate  atomic.Bool
	body    io.ReadCloser
	buffer  []byte
}

func (c *Client) openStream(ctx context.Context, call written, mediaType string) (*stream, error) {
	limited, cancel := context.WithCancel(ctx)
	opened := &stream{client: c, timeout: call.timeout, cancel: cancel, buffer: make([]byte, 32*1024)}
	opened.timer = time.AfterFunc(call.timeout, func() {
		opened.isLate.Store(true)
		cancel()
	})
	err := opened.begin(limited, call, mediaType)
	if err != nil {
		opened.close()
		return nil, err
	}
	return opened, nil
}

func (s *stream) begin(ctx context.Context, call written, mediaType string) error {
	c := s.client
	outgoing, err := c.buildRequest(ctx, call, mediaType+", application/problem+json")
	if err != nil {
		return err
	}
	response, err := c.transport.RoundTrip(outgoing)
	if err != nil {
		return c.explain(err, s.isLate.Load(), s.timeout)
	}
	s.body = response.Body
	if response.StatusCode < 200 || response.StatusCode > 299 {
		content, err := io.ReadAll(response.Body)
		if err != nil {
			return c.explain(err, s.isLate.Load(), s.timeout)
		}
		return newProblem(response.StatusCode, response.Header, content, c.clock.Now())
	}
	s.timer.Stop()
	if !strings.HasPrefix(response.Header.Get("Content-Type"), mediaType) {
		return c.unreadable(mediaType, nil)
	}
	return nil
}

func (s *stream) read() ([]byte, error) {
	s.timer.Reset(s.timeout)
	count, err := s.body.Read(s.buffer)
	s.timer.Stop()
	if count > 0 || err == nil {
		// An error comes again with the next read.
		return s.buffer[:count], nil
	}
	if err == io.EOF {
		return nil, io.EOF
	}
	return nil, s.client.explain(err, s.isLate.Load(), s.timeout)
}

func (s *stream) close() {
	s.timer.Stop()
	s.cancel()
	if s.body != nil {
		_ = s.body.Close()
	}
}
