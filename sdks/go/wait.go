package postrider

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"
)

const (
	firstPoll = 150 * time.Millisecond
	maxPoll   = 5 * time.Second
	// Automatic steps follow at once; one that does not follow within this time needs a call.
	grace = 3 * time.Second
)

// WaitOptions are not needed.
type WaitOptions struct {
	// For the whole wait; 0 is no limit but that of the context.
	Timeout time.Duration
	// Ends the wait earlier.
	Until func(*TaskDetail) bool
	// Called when something has changed.
	OnProgress func(*TaskDetail)
}

// IsFinished tells whether nothing more happens to a task in this stage.
func (s Stage) IsFinished() bool {
	return s == StageCompleted || s == StageFailed || s == StageCancelled
}

// What a task waits for that needs an action, and whether that is certain.
func findCallerWait(task *TaskDetail) (waitsFor WaitsFor, isCertain bool) {
	switch {
	case task.WaitsFor == WaitsForResume || task.WaitsFor == WaitsForLimit:
		return task.WaitsFor, true
	case task.WaitsFor == WaitsForSendAt || task.WaitsFor == WaitsForWindow:
		// It goes on by itself at its time.
		return "", false
	case task.AccountingState == AccountingStateInsufficientFunds:
		return WaitsForFunds, true
	case task.Stage == StageQueued && !task.AutoPrepare:
		return WaitsForPrepare, false
	case task.Stage != StagePrepared:
		return "", false
	case task.AccountingState == AccountingStateNone:
		return WaitsForFreeze, !task.AutoFreeze
	default:
		return WaitsForSubmit, !task.AutoSubmit
	}
}

// WaitForTask follows a task until it has finished, or waits for its caller. WaitsFor then says for what: prepare,
// freeze, submit, funds, limit or resume; it is empty when the task has finished, or Until ended the wait. A
// WaitTimeoutError has the task as it was last seen.
func (c *Client) WaitForTask(ctx context.Context, taskNo string, options WaitOptions) (*TaskDetail, error) {
	wait := &waiting{client: c, options: options, target: fillPath("/openapi/v1/messages/tasks/{}/", taskNo)}
	wait.startedAt = c.clock.Now()
	wait.changedAt = wait.startedAt
	for {
		task, err := wait.poll(ctx)
		if err != nil || task != nil {
			return task, err
		}
		pause := wait.pause
		if left, isLimited := wait.left(); isLimited && left < pause {
			pause = left
		}
		if pause < 0 {
			pause = 0
		}
		if err := c.clock.Sleep(ctx, pause); err != nil {
			return nil, wait.end(ctx, err)
		}
	}
}

type waiting struct {
	client    *Client
	options   WaitOptions
	target    string
	startedAt time.Time
	changedAt time.Time
	last      *TaskDetail
	seen      []byte
	pause     time.Duration
}

func (w *waiting) left() (time.Duration, bool) {
	return w.options.Timeout - w.client.clock.Now().Sub(w.startedAt), w.options.Timeout > 0
}

// end says how a wait ended without the task.
func (w *waiting) end(ctx context.Context, err error) error {
	left, isLimited := w.left()
	var connection *ConnectionError
	isLate := isLimited && left <= 0 && (err == nil || errors.As(err, &connection))
	if isLate || ctx.Err() == context.DeadlineExceeded {
		return &WaitTimeoutError{Task: w.last, Cause: err}
	}
	return err
}

// poll asks once; nil where the wait goes on.
func (w *waiting) poll(ctx context.Context) (*TaskDetail, error) {
	c := w.client
	call := written{method: http.MethodGet, target: w.target, timeout: c.timeout}
	left, isLimited := w.left()
	if isLimited && left <= 0 {
		return nil, w.end(ctx, nil)
	}
	if isLimited && left < call.timeout {
		call.timeout = left
	}
	got, err := c.repeat(ctx, call, true)
	if err != nil {
		return nil, w.end(ctx, err)
	}
	task, err := read[TaskDetail](c, got.content)
	if err != nil {
		return nil, err
	}
	return w.judge(task, got.content), nil
}

func (w *waiting) judge(task *TaskDetail, content []byte) *TaskDetail {
	now := w.client.clock.Now()
	w.last = task
	if bytes.Equal(content, w.seen) {
		w.pause = w.pause * 3 / 2
		if w.pause > maxPoll {
			w.pause = maxPoll
		}
	} else {
		w.seen, w.changedAt, w.pause = content, now, firstPoll
		if w.options.OnProgress != nil {
			w.options.OnProgress(task)
		}
	}
	result := *task
	if task.Stage.IsFinished() || w.options.Until != nil && w.options.Until(task) {
		result.WaitsFor = ""
		return &result
	}
	// With Until the caller has said what the wait is for; a task may still get there.
	waitsFor, isCertain := findCallerWait(task)
	if waitsFor == "" || w.options.Until != nil || !isCertain && now.Sub(w.changedAt) < grace {
		return nil
	}
	result.WaitsFor = waitsFor
	return &result
}
