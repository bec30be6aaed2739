package postrider

import (
	"errors"
	"math"
	"time"
)

// RetryPolicy is how often and how fast a call is tried again. A field that is 0 has its usual value.
type RetryPolicy struct {
	// The first time included, usually 5: 1 turns retries off.
	Attempts int
	// 200 ms, and twice as much each time.
	FirstDelay time.Duration
	// 10 s.
	MaxDelay time.Duration
	// 60 s. A longer Retry-After is handed to the caller instead of being waited for.
	MaxRetryAfter time.Duration
}

func (p RetryPolicy) complete() RetryPolicy {
	if p.Attempts == 0 {
		p.Attempts = 5
	}
	if p.FirstDelay == 0 {
		p.FirstDelay = 200 * time.Millisecond
	}
	if p.MaxDelay == 0 {
		p.MaxDelay = 10 * time.Second
	}
	if p.MaxRetryAfter == 0 {
		p.MaxRetryAfter = time.Minute
	}
	return p
}

// certainlyNotDone tells whether the service certainly did not carry the request out.
func certainlyNotDone(err error) bool {
	var problem *ProblemError
	if errors.As(err, &problem) {
		return problem.FromService && problem.Status != 500 && !problem.OutcomeUnknown
	}
	var connection *ConnectionError
	return errors.As(err, &connection) && connection.Reason == ConnectionUnreachable
}

func isTransient(err error) bool {
	var problem *ProblemError
	if errors.As(err, &problem) {
		return problem.Status == 429 || problem.Status >= 500
	}
	var connection *ConnectionError
	return errors.As(err, &connection) && connection.Reason != ConnectionUnreadable
}

// findDelay returns the pause before the next attempt; false where another is of no use or not safe.
func (c *Client) findDelay(err error, attempt int, repeatable bool) (time.Duration, bool) {
	if attempt >= c.retry.Attempts || !isTransient(err) || !repeatable && !certainlyNotDone(err) {
		return 0, false
	}
	// Jitter over the upper half: clients that failed together must not come back together.
	ceiling := math.Min(float64(c.retry.MaxDelay), float64(c.retry.FirstDelay)*math.Pow(2, float64(attempt-1)))
	backoff := ceiling * (0.5 + c.random()/2)
	var problem *ProblemError
	if !errors.As(err, &problem) || problem.RetryAfter == nil {
		return time.Duration(backoff), true
	}
	if *problem.RetryAfter > c.retry.MaxRetryAfter {
		return 0, false
	}
	// Never earlier than requested.
	return *problem.RetryAfter + time.Duration(c.random()*math.Min(backoff, float64(500*time.Millisecond))), true
}
