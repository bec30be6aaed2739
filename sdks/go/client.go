// Package postrider is the Go client of Postrider: send messages, follow tasks, reconcile money.
//
// It signs every call, corrects its clock, retries what is safe to retry, and never sends a message twice: see Client.
package postrider

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

const (
	version        = "0.2.0"
	defaultTimeout = 30 * time.Second
)

// Client is a client of the customer API. It may be used by several goroutines at once.
type Client struct {
	baseURL string
	apiKey  string
	// A closure, so that the secret is in no field that a debugger or a log may show.
	sign      func(method, target string, timestampMS int64, body []byte) string
	timeout   time.Duration
	retry     RetryPolicy
	transport http.RoundTripper
	clock     Clock
	random    func() float64
	userAgent string
	// Difference between the clock of the service and ours, learned when a timestamp was refused.
	skewMS atomic.Int64
}

// Option changes a client that is being made.
type Option func(*Client)

// WithTimeout sets the time that one attempt may take, from the connection to the last byte: 30 s unless given. In a
// file it is that for each piece.
func WithTimeout(timeout time.Duration) Option { return func(c *Client) { c.timeout = timeout } }

// WithRetry sets how often and how fast a call is tried again.
func WithRetry(policy RetryPolicy) Option { return func(c *Client) { c.retry = policy.complete() } }

// WithTransport replaces the connections: for a proxy, certificates, a test. It must not repeat requests by itself; a
// *http.Transport does not repeat those of a client.
func WithTransport(transport http.RoundTripper) Option {
	return func(c *Client) { c.transport = transport }
}

// WithClock replaces the time.
func WithClock(clock Clock) Option { return func(c *Client) { c.clock = clock } }

// WithRandom replaces chance, from 0 to 1, which is the jitter of pauses.
func WithRandom(random func() float64) Option { return func(c *Client) { c.random = random } }

// WithUserAgent replaces the name that the logs of the service have.
func WithUserAgent(name string) Option { return func(c *Client) { c.userAgent = name } }

// New makes a client. Nothing is sent yet; what is missing is refused at once.
func New(baseURL, apiKey, apiSecret string, options ...Option) (*Client, error) {
	address, err := url.Parse(baseURL)
	if err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Host == "" || address.User != nil {
		return nil, &ArgumentError{Message: "the base URL is an address like https://sms.example.com"}
	}
	// Most often an environment variable that is not set: better said now than as a 401 later.
	if apiKey == "" {
		return nil, &ArgumentError{Message: "the API key is missing"}
	}
	if apiSecret == "" {
		return nil, &ArgumentError{Message: "the API secret is missing"}
	}
	client := &Client{
		baseURL: strings.TrimRight(baseURL, "/"),
		apiKey:  apiKey,
		sign: func(method, target string, timestampMS int64, body []byte) string {
			return SignRequest(apiSecret, method, target, timestampMS, body)
		},
		timeout:   defaultTimeout,
		retry:     RetryPolicy{}.complete(),
		clock:     systemClock{},
		random:    rand.New(&lockedSource{source: rand.NewSource(time.Now().UnixNano())}).Float64,
		userAgent: "postrider-go/" + version,
	}
	for _, option := range options {
		option(client)
	}
	if client.transport == nil {
		client.transport = newTransport()
	}
	return client, nil
}

func newTransport() http.RoundTripper {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	// Shorter than any service keeps a connection that is not used: a request on one that is just being closed is lost.
	transport.IdleConnTimeout = 2 * time.Second
	transport.MaxIdleConnsPerHost = 16
	return transport
}

// String names the address and the key, never the secret.
func (c *Client) String() string {
	return fmt.Sprintf("postrider.Client of %s as %s", c.baseURL, c.apiKey)
}

// GoString is String.
func (c *Client) GoString() string { return c.String() }

// Close closes the connections that are not in use. They close by themselves two seconds later as well.
func (c *Client) Close() {
	if transport, canClose := c.transport.(interface{ CloseIdleConnections() }); canClose {
		transport.CloseIdleConnections()
	}
}

// FindTask finds the task of one business request of yours; nil when it was never accepted.
func (c *Client) FindTask(ctx context.Context, clientRequestID string) (*Task, error) {
	list := c.Tasks(TaskFilters{ClientRequestID: clientRequestID})
	list.PageSize = 1
	page, err := list.Page(ctx, 1)
	if err != nil || len(page.Items) == 0 {
		return nil, err
	}
	return &page.Items[0], nil
}

// Request calls anything that this client has no method for, and returns the JSON of the answer. The target is the path
// with its query; a body that is nil is none. A GET is retried, anything else only where the first attempt certainly did
// nothing.
func (c *Client) Request(ctx context.Context, method, target string, body any) (json.RawMessage, error) {
	answer, err := c.callSafely(ctx, request{method: method, target: target, body: body, repeatable: method == http.MethodGet})
	if err != nil {
		return nil, err
	}
	return answer.content, nil
}
