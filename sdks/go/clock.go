package postrider

import (
	"context"
	"time"
)

// Clock is the time of a client, replaceable so that tests need not wait.
type Clock interface {
	Now() time.Time
	// Sleep waits, and ends early with the error of the context when that is over.
	Sleep(ctx context.Context, pause time.Duration) error
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
