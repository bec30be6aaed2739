package postrider

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// FaultDetail is one fault of a request.
type FaultDetail struct {
	// A JSON pointer into the body, or ?name of the query.
	Pointer string    `json:"pointer"`
	Code    FaultCode `json:"code"`
	Message string    `json:"message"`
	// Which sentence it is, and what is filled in: translate by it.
	Key    ErrorKey       `json:"key"`
	Params map[string]any `json:"params"`
}

// ProblemError is what the service answered (RFC 9457). Nothing was stored, reserved or sent, unless OutcomeUnknown says
// that this is not certain.
type ProblemError struct {
	Status int
	Code   ErrorCode
	// Which sentence it is, and what is filled in: translate by it.
	Key    ErrorKey
	Params map[string]any
	Title  string
	Detail string
	// Name it when you ask for help: it is in the logs of the service.
	RequestID string
	Errors    []FaultDetail
	// Nil where the service named no time.
	RetryAfter *time.Duration
	// The clock of the service, with timestamp_out_of_range.
	ServerTime *time.Time
	// False when something in between answered, such as a proxy: then nothing is certain.
	FromService bool
	// The service lost its database before it learned whether the request was carried out.
	OutcomeUnknown bool
}

func (e *ProblemError) Error() string {
	var text strings.Builder
	said := e.Detail
	if said == "" {
		said = e.Title
	}
	fmt.Fprintf(&text, "postrider: %d %s: %s", e.Status, e.Code, said)
	if e.RequestID != "" {
		fmt.Fprintf(&text, " [request %s]", e.RequestID)
	}
	for _, one := range e.Errors {
		pointer := one.Pointer
		if pointer == "" {
			pointer = "(body)"
		}
		fmt.Fprintf(&text, "\n  %s: %s", pointer, one.Message)
	}
	return text.String()
}

// ConnectionFailure is why there is no usable answer.
type ConnectionFailure string

const (
	// No connection was made: nothing arrived.
	ConnectionUnreachable ConnectionFailure = "unreachable"
	// The connection ended before the answer did: the request may have arrived.
	ConnectionBroken ConnectionFailure = "broken"
	// No answer in time: the request may have arrived.
	ConnectionTimeout ConnectionFailure = "timeout"
	// What answered is not this API.
	ConnectionUnreadable ConnectionFailure = "unreadable"
)

// ConnectionError says that no usable answer came.
type ConnectionError struct {
	Reason  ConnectionFailure
	Message string
	// Of a send that may have arrived: what to give to FindTask before anything is sent again.
	ClientRequestID string
	// What ended it: context.Canceled, for one.
	Cause error
}

func (e *ConnectionError) Error() string { return "postrider: " + e.Message }

// Unwrap returns the cause.
func (e *ConnectionError) Unwrap() error { return e.Cause }

// WaitTimeoutError says that the time which was given to a wait is over; the task goes on.
type WaitTimeoutError struct {
	// As it was last seen; nil where no answer came at all.
	Task *TaskDetail
	// context.DeadlineExceeded where it was the context that ended.
	Cause error
}

func (e *WaitTimeoutError) Error() string {
	seen := "no answer about the task"
	if e.Task != nil {
		seen = fmt.Sprintf("%s is %s", e.Task.TaskNo, e.Task.Stage)
	}
	return fmt.Sprintf("postrider: the time of the wait is over: %s; what was accepted goes on by itself", seen)
}

// Unwrap returns the cause.
func (e *WaitTimeoutError) Unwrap() error { return e.Cause }

// WebhookError says that a call to a webhook is not proven to be from the service: answer it with 400.
type WebhookError struct{ Message string }

func (e *WebhookError) Error() string { return "postrider: " + e.Message }

// ArgumentError says that something was refused before anything went out.
type ArgumentError struct{ Message string }

func (e *ArgumentError) Error() string { return "postrider: " + e.Message }

// A field of another type than expected does no harm to the others.
type problemBody map[string]json.RawMessage

func (b problemBody) text(name string) string {
	var text string
	_ = json.Unmarshal(b[name], &text)
	return text
}

func newProblem(status int, header http.Header, content []byte, now time.Time) *ProblemError {
	body := problemBody{}
	// The page of a proxy is no JSON; the status alone has to do.
	_ = json.Unmarshal(content, &body)
	problem := &ProblemError{
		Status:         status,
		Code:           ErrorCode(body.text("code")),
		Key:            ErrorKey(body.text("key")),
		Params:         map[string]any{},
		Title:          body.text("title"),
		Detail:         body.text("detail"),
		RequestID:      body.text("request_id"),
		Errors:         []FaultDetail{},
		RetryAfter:     readRetryAfter(header.Get("Retry-After"), now),
		ServerTime:     readServerTime(body["server_time"]),
		FromService:    body.text("code") != "",
		OutcomeUnknown: body.text("outcome") == "unknown",
	}
	if problem.Code == "" {
		problem.Code = "unexpected_answer"
	}
	if problem.Key == "" {
		problem.Key = "unexpected_answer"
	}
	if problem.Title == "" {
		problem.Title = "HTTP " + strconv.Itoa(status)
	}
	if problem.RequestID == "" {
		problem.RequestID = header.Get("X-Request-Id")
	}
	_ = decode(body["params"], &problem.Params)
	var faults []json.RawMessage
	_ = json.Unmarshal(body["errors"], &faults)
	for _, one := range faults {
		fault := FaultDetail{Params: map[string]any{}}
		_ = decode(one, &fault)
		problem.Errors = append(problem.Errors, fault)
	}
	return problem
}

// The header has seconds or an HTTP date.
func readRetryAfter(header string, now time.Time) *time.Duration {
	if header == "" {
		return nil
	}
	var wait time.Duration
	if seconds, err := strconv.ParseFloat(header, 64); err == nil && math.Abs(seconds) < 1e9 {
		wait = time.Duration(seconds * float64(time.Second))
	} else if date, err := http.ParseTime(header); err == nil {
		wait = date.Sub(now)
	} else {
		return nil
	}
	if wait < 0 {
		wait = 0
	}
	return &wait
}

// RFC 3339, or milliseconds since the epoch as a number or a text.
func readServerTime(value json.RawMessage) *time.Time {
	text := strings.Trim(string(value), `"`)
	if milliseconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		read := time.UnixMilli(milliseconds)
		return &read
	}
	read, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil
	}
	return &read
}
