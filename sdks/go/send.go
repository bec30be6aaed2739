package postrider

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"time"
)

const (
	sendPath  = "/openapi/v1/messages/send/"
	tasksPath = "/openapi/v1/messages/tasks/"
	// Clocks of two machines of one service, and the whole seconds of Date, differ by less than this.
	clockTolerance = 5 * time.Second
)

// SentTask is a task, and whether it existed before this call: the same had been accepted earlier.
type SentTask struct {
	Task     `json:"task"`
	Replayed bool `json:"replayed"`
}

// Send creates a message task. An acceptance only: it implies neither delivery nor charging.
//
// A request without a ClientRequestID gets one. After a failure that leaves open whether it arrived, the task list is
// asked for the id before anything is sent again, and what is sent again is the same request under the same id. When all
// attempts failed, a ConnectionError has the id to ask for later. Keep an id of your own for each business request, and a
// crash of your program is covered as well.
func (c *Client) Send(ctx context.Context, message SendRequest) (*SentTask, error) {
	idIsOurs := message.ClientRequestID == ""
	if idIsOurs {
		id, err := makeID()
		if err != nil {
			return nil, err
		}
		message.ClientRequestID = id
	}
	return c.sendOnce(ctx, message.ClientRequestID, idIsOurs, message)
}

func makeID() (string, error) {
	var id [16]byte
	if _, err := rand.Read(id[:]); err != nil {
		return "", err
	}
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:]), nil
}

func (c *Client) sendOnce(ctx context.Context, id string, idIsOurs bool, body any) (*SentTask, error) {
	call, err := c.write(request{method: http.MethodPost, target: sendPath, body: body})
	if err != nil {
		return nil, err
	}
	started := c.clock.Now()
	uncertain := false
	for count := 1; ; count++ {
		sent, err := c.tryToSend(ctx, call, id, idIsOurs, uncertain, started)
		if err == nil {
			return sent, nil
		}
		var problem *ProblemError
		if errors.As(err, &problem) && problem.Status >= 500 || !certainlyNotDone(err) {
			uncertain = true
		}
		failure := err
		var connection *ConnectionError
		if uncertain && errors.As(err, &connection) {
			named := *connection
			named.ClientRequestID = id
			failure = &named
		}
		delay, again := c.findDelay(err, count, true)
		if !again {
			return nil, failure
		}
		if err := c.pause(ctx, delay, failure); err != nil {
			return nil, err
		}
	}
}

func (c *Client) tryToSend(ctx context.Context, call written, id string, idIsOurs, uncertain bool, started time.Time) (*SentTask, error) {
	if uncertain {
		original, err := c.findOriginal(ctx, id, idIsOurs, started)
		if err != nil {
			return nil, err
		}
		if original != nil {
			return &SentTask{Task: *original}, nil
		}
	}
	got, err := c.exchange(ctx, call)
	if err != nil {
		return nil, err
	}
	task, err := read[Task](c, got.content)
	if err != nil {
		return nil, err
	}
	// A replay of a lost attempt under our own id is news to the caller.
	replayed := got.header.Get("Idempotent-Replayed") == "true" && !(uncertain && idIsOurs)
	return &SentTask{Task: *task, Replayed: replayed}, nil
}

func (c *Client) findOriginal(ctx context.Context, id string, idIsOurs bool, started time.Time) (*Task, error) {
	target := withQuery(tasksPath, []field{{"client_request_id", id}, {"page_size", 1}})
	got, err := c.exchange(ctx, written{method: http.MethodGet, target: target, timeout: c.timeout})
	if err != nil {
		return nil, err
	}
	page, err := read[Page[Task]](c, got.content)
	if err != nil || len(page.Items) == 0 {
		return nil, err
	}
	task := &page.Items[0]
	if idIsOurs {
		return task, nil
	}
	// An id that the caller chose may name an older task of another content. Only the service can tell: unless the task
	// was plainly made by this call, the same request goes out again.
	date, err := http.ParseTime(got.header.Get("Date"))
	if err != nil || date.Sub(task.CreatedAt) > c.clock.Now().Sub(started)+clockTolerance {
		return nil, nil
	}
	return task, nil
}
