package postrider

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
)

const jsonTypes = "application/json, application/problem+json"

// One call of the API.
type request struct {
	method string
	// With its query.
	target string
	// Nil where there is none.
	body any
	// It changes nothing the second time.
	repeatable bool
}

// A call as it is written down: the same bytes go out with every attempt.
type written struct {
	method string
	target string
	body   []byte
	// For one attempt.
	timeout time.Duration
}

type answer struct {
	header  http.Header
	content []byte
}

// A body that is empty and cannot be had again: http.Transport repeats a GET without a body by itself on a connection
// that was closed, and an attempt would not be one.
type once struct{}

func (once) Read([]byte) (int, error) { return 0, io.EOF }
func (once) Close() error             { return nil }

func (c *Client) write(one request) (written, error) {
	call := written{method: one.method, target: one.target, timeout: c.timeout}
	if one.body == nil {
		return call, nil
	}
	body, err := encodeJSON(one.body)
	call.body = body
	return call, err
}

// buildRequest signs a call as it goes out, with the time as it is now.
func (c *Client) buildRequest(ctx context.Context, call written, accept string) (*http.Request, error) {
	outgoing, err := http.NewRequestWithContext(ctx, call.method, c.baseURL+call.target, nil)
	if err != nil {
		return nil, &ArgumentError{Message: "the target is a path with its query, like /openapi/v1/finance/account/"}
	}
	if call.body != nil {
		outgoing.Body = io.NopCloser(bytes.NewReader(call.body))
		outgoing.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(call.body)), nil }
		outgoing.ContentLength = int64(len(call.body))
		outgoing.Header.Set("Content-Type", "application/json")
	} else if call.method == http.MethodGet {
		outgoing.Body = once{}
	}
	timestamp := c.clock.Now().UnixMilli() + c.skewMS.Load()
	outgoing.Header.Set("Accept", accept)
	outgoing.Header.Set("User-Agent", c.userAgent)
	outgoing.Header.Set("X-Api-Key", c.apiKey)
	outgoing.Header.Set("X-Timestamp", strconv.FormatInt(timestamp, 10))
	// The target as it stands on the request line, whatever has become of it on the way.
	outgoing.Header.Set("X-Sign", c.sign(call.method, outgoing.URL.RequestURI(), timestamp, call.body))
	return outgoing, nil
}

// attempt is one exchange with the service.
func (c *Client) attempt(ctx context.Context, call written) (*answer, error) {
	limited, cancel := context.WithTimeout(ctx, call.timeout)
	defer cancel()
	outgoing, err := c.buildRequest(limited, call, jsonTypes)
	if err != nil {
		return nil, err
	}
	// A RoundTripper follows no redirect.
	response, err := c.transport.RoundTrip(outgoing)
	if err != nil {
		return nil, c.explain(err, limited.Err() == context.DeadlineExceeded, call.timeout)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, c.explain(err, limited.Err() == context.DeadlineExceeded, call.timeout)
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return nil, newProblem(response.StatusCode, response.Header, content, c.clock.Now())
	}
	return &answer{response.Header, content}, nil
}

// explain says in our words what ended an attempt.
func (c *Client) explain(err error, isLate bool, timeout time.Duration) error {
	failure := &ConnectionError{Reason: ConnectionBroken, Cause: err}
	var operation *net.OpError
	var name *net.DNSError
	isDial := errors.As(err, &operation) && (operation.Op == "dial" || operation.Op == "proxyconnect")
	switch {
	case isDial || errors.As(err, &name):
		failure.Reason = ConnectionUnreachable
		failure.Message = fmt.Sprintf("cannot reach %s: %v", c.baseURL, err)
	case isLate || errors.Is(err, context.DeadlineExceeded):
		failure.Reason = ConnectionTimeout
		failure.Message = fmt.Sprintf("no answer from %s within %v", c.baseURL, timeout)
	default:
		failure.Message = fmt.Sprintf("the connection to %s broke: %v", c.baseURL, err)
	}
	return failure
}

func (c *Client) unreadable(what string, cause error) error {
	message := fmt.Sprintf("%s answered with something that is not %s; is it the address of Postrider?", c.baseURL, what)
	return &ConnectionError{Reason: ConnectionUnreadable, Message: message, Cause: cause}
}

// learnSkew sets our clock by that of the service, where it refused our time.
func (c *Client) learnSkew(err error) bool {
	var problem *ProblemError
	if !errors.As(err, &problem) || problem.Code != ErrorCodeTimestampOutOfRange || problem.ServerTime == nil {
		return false
	}
	c.skewMS.Store(problem.ServerTime.UnixMilli() - c.clock.Now().UnixMilli())
	return true
}

// exchange is one attempt. Only a clock that is off is corrected, and tried again.
func (c *Client) exchange(ctx context.Context, call written) (*answer, error) {
	got, err := c.attempt(ctx, call)
	if err != nil && c.learnSkew(err) {
		return c.attempt(ctx, call)
	}
	return got, err
}

// pause waits for the next attempt; where the context is over meanwhile, what had happened is the error.
func (c *Client) pause(ctx context.Context, delay time.Duration, failure error) error {
	if ctx.Err() != nil || c.clock.Sleep(ctx, delay) != nil {
		return failure
	}
	return nil
}

// repeat makes as many attempts as the policy allows and are safe.
func (c *Client) repeat(ctx context.Context, call written, repeatable bool) (*answer, error) {
	for count := 1; ; count++ {
		got, err := c.exchange(ctx, call)
		if err == nil {
			return got, nil
		}
		delay, again := c.findDelay(err, count, repeatable)
		if !again {
			return nil, err
		}
		if err := c.pause(ctx, delay, err); err != nil {
			return nil, err
		}
	}
}

func (c *Client) callSafely(ctx context.Context, one request) (*answer, error) {
	call, err := c.write(one)
	if err != nil {
		return nil, err
	}
	return c.repeat(ctx, call, one.repeatable)
}

func read[T any](c *Client, content []byte) (*T, error) {
	model := new(T)
	err := decode(content, model)
	if err == nil && lacksFirst(model) {
		err = errors.New("the field that it begins with is missing")
	}
	if err != nil {
		return nil, c.unreadable("JSON of this API", err)
	}
	return model, nil
}

// lacksFirst tells an answer without the field that every such answer begins with: it is of something else.
func lacksFirst(model any) bool {
	first := reflect.ValueOf(model).Elem().Field(0)
	return first.Kind() != reflect.Pointer && first.IsZero()
}

// call is what the generated methods are made of.
func call[T any](ctx context.Context, c *Client, one request) (*T, error) {
	got, err := c.callSafely(ctx, one)
	if err != nil {
		return nil, err
	}
	return read[T](c, got.content)
}

func withQuery(target string, fields []field) string {
	query := encodeQuery(fields)
	if query == "" {
		return target
	}
	return strings.TrimRight(target, "?") + "?" + query
}

type lockedSource struct {
	mutex  sync.Mutex
	source rand.Source
}

func (s *lockedSource) Int63() int64 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.source.Int63()
}

func (s *lockedSource) Seed(seed int64) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.source.Seed(seed)
}
