package postrider

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"sync"
)

const (
	maxNumbers  = 5000
	concurrency = 4
	// Of the 64 characters of an id: room for the dot and the number of a later request.
	maxNameCharacters = 56
)

// NumberReader gives numbers one by one, some with variables of their own, and io.EOF at the end.
type NumberReader interface {
	ReadNumber() (Recipient, error)
}

// NumberFunc is a NumberReader that is a function.
type NumberFunc func() (Recipient, error)

// ReadNumber calls the function.
func (f NumberFunc) ReadNumber() (Recipient, error) { return f() }

// Phones reads from a list of phones.
func Phones(phones ...string) NumberReader {
	return NumberFunc(func() (Recipient, error) {
		if len(phones) == 0 {
			return Recipient{}, io.EOF
		}
		next := Recipient{Phone: phones[0]}
		phones = phones[1:]
		return next, nil
	})
}

// Recipients reads from a list of phones with variables of their own.
func Recipients(recipients ...Recipient) NumberReader {
	return NumberFunc(func() (Recipient, error) {
		if len(recipients) == 0 {
			return Recipient{}, io.EOF
		}
		next := recipients[0]
		recipients = recipients[1:]
		return next, nil
	})
}

// PhoneLines reads a phone from each line; empty ones are none.
func PhoneLines(lines io.Reader) NumberReader {
	scanner := bufio.NewScanner(lines)
	return NumberFunc(func() (Recipient, error) {
		for scanner.Scan() {
			if phone := strings.TrimSpace(scanner.Text()); phone != "" {
				return Recipient{Phone: phone}, nil
			}
		}
		if err := scanner.Err(); err != nil {
			return Recipient{}, err
		}
		return Recipient{}, io.EOF
	})
}

// SendAllOptions are not needed: a field that is 0 has its usual value.
type SendAllOptions struct {
	// 5,000, which is the most there is.
	NumbersPerTask int
	// How many requests are under way at once: 4.
	Concurrency int
	// Called after each accepted task, one call at a time.
	OnProgress func(SendAllProgress)
}

// SendAllSummary is what has been accepted so far.
type SendAllSummary struct {
	// Empty where there were no numbers.
	BatchID string
	// Accepted tasks, the numbers in them, and how many of the tasks had been accepted before.
	Tasks    int64
	Numbers  int64
	Replayed int64
}

// SendAllProgress is the task that was just accepted, the position of its request from 1, and the sums so far.
type SendAllProgress struct {
	Task     Task
	Index    int
	Replayed bool
	Summary  SendAllSummary
}

// SendAll sends to any number of numbers. They are read no further ahead than what is under way, and cut into tasks under
// one BatchID. Called again with the same input after a failure, it repeats nothing that was accepted; other numbers
// under the same BatchID are refused with idempotency_conflict. What was accepted before a failure is in the summary
// beside the error.
func (c *Client) SendAll(ctx context.Context, message SendRequest, numbers NumberReader, options SendAllOptions) (SendAllSummary, error) {
	if options.NumbersPerTask == 0 {
		options.NumbersPerTask = maxNumbers
	}
	if options.Concurrency == 0 {
		options.Concurrency = concurrency
	}
	if options.NumbersPerTask < 1 || options.NumbersPerTask > maxNumbers {
		return SendAllSummary{}, &ArgumentError{Message: fmt.Sprintf("NumbersPerTask takes 1 to %d", maxNumbers)}
	}
	if options.Concurrency < 1 {
		return SendAllSummary{}, &ArgumentError{Message: "Concurrency takes 1 or more"}
	}
	if message.Phones != nil || message.Recipients != nil || message.ClientRequestID != "" {
		return SendAllSummary{}, &ArgumentError{Message: "the numbers are an argument of SendAll, and it makes the ids of the requests"}
	}
	all := &sendingAll{client: c, numbers: numbers, options: options, shared: message, batchID: message.BatchID}
	var senders sync.WaitGroup
	for at := 0; at < options.Concurrency; at++ {
		senders.Add(1)
		go func() {
			defer senders.Done()
			all.sendSome(ctx)
		}()
	}
	senders.Wait()
	return all.summary, all.err
}

type sendingAll struct {
	client  *Client
	options SendAllOptions
	shared  SendRequest

	// For what is below it.
	reading sync.Mutex
	numbers NumberReader
	batchID string
	index   int
	isOver  bool

	// For what is below it.
	counting sync.Mutex
	summary  SendAllSummary
	err      error
}

// After a failure no request is begun; the others finish what they have begun, so that all is known that can be.
func (a *sendingAll) sendSome(ctx context.Context) {
	for {
		message, index, err := a.next()
		if err == nil && index == 0 {
			return
		}
		var sent *SentTask
		if err == nil {
			sent, err = a.client.sendOnce(ctx, message.ClientRequestID, false, message)
		}
		a.note(message.BatchID, index, sent, err)
		if err != nil {
			return
		}
	}
}

func (a *sendingAll) note(batchID string, index int, sent *SentTask, err error) {
	a.counting.Lock()
	defer a.counting.Unlock()
	if err != nil {
		if a.err == nil {
			a.err = err
		}
		return
	}
	a.summary.BatchID = batchID
	a.summary.Tasks++
	a.summary.Numbers += sent.Counts.Total
	if sent.Replayed {
		a.summary.Replayed++
	}
	if a.options.OnProgress != nil {
		a.options.OnProgress(SendAllProgress{sent.Task, index, sent.Replayed, a.summary})
	}
}

func (a *sendingAll) hasFailed() bool {
	a.counting.Lock()
	defer a.counting.Unlock()
	return a.err != nil
}

// next makes the next request, in order: the same numbers, the same requests and ids. The index is 0 at the end.
func (a *sendingAll) next() (SendRequest, int, error) {
	a.reading.Lock()
	defer a.reading.Unlock()
	var chunk []Recipient
	for !a.isOver && len(chunk) < a.options.NumbersPerTask && !a.hasFailed() {
		number, err := a.numbers.ReadNumber()
		if err == io.EOF {
			a.isOver = true
		} else if err != nil {
			a.isOver = true
			return SendRequest{}, 0, err
		} else {
			chunk = append(chunk, number)
		}
	}
	if len(chunk) == 0 || a.hasFailed() {
		return SendRequest{}, 0, nil
	}
	a.index++
	message := fillNumbers(a.shared, chunk)
	if a.batchID == "" {
		name, err := nameBatch(message)
		if err != nil {
			a.isOver = true
			return SendRequest{}, 0, err
		}
		a.batchID = name
	}
	message.BatchID = a.batchID
	message.ClientRequestID = nameRequest(a.batchID, a.index)
	return message, a.index, nil
}

func fillNumbers(message SendRequest, numbers []Recipient) SendRequest {
	common := message.VariableValues
	for _, one := range numbers {
		if one.VariableValues != nil {
			message.VariableValues = nil
			message.Recipients = mergeVariables(numbers, common)
			return message
		}
	}
	for _, one := range numbers {
		message.Phones = append(message.Phones, one.Phone)
	}
	return message
}

// Variables of their own go before the common ones.
func mergeVariables(numbers []Recipient, common VariableValues) []Recipient {
	merged := make([]Recipient, len(numbers))
	for at, one := range numbers {
		values := Variables{}
		for _, source := range []VariableValues{common, one.VariableValues} {
			if source != nil {
				for name, value := range source.byName() {
					values[name] = value
				}
			}
		}
		merged[at] = Recipient{Phone: one.Phone, VariableValues: values}
	}
	return merged
}

// A batch without a name is named by its first numbers, the same in every language.
func nameBatch(message SendRequest) (string, error) {
	content := SendRequest{Phones: message.Phones, Recipients: message.Recipients, VariableValues: message.VariableValues}
	var fields []field
	for _, one := range givenFields(content) {
		if one.name != "template_no" {
			fields = append(fields, one)
		}
	}
	text, err := encodeJSON([]any{message.TemplateNo, fields})
	return "made-" + shortHash(text), err
}

// The first has the name of the batch, also when others follow: an input that has grown past one request then still
// meets the id under which it was sent before.
func nameRequest(batchID string, index int) string {
	if index == 1 {
		return batchID
	}
	name := batchID
	if len([]rune(name)) > maxNameCharacters {
		name = shortHash([]byte(name))
	}
	return fmt.Sprintf("%s.%d", name, index)
}

func shortHash(text []byte) string {
	hash := sha256.Sum256(text)
	return hex.EncodeToString(hash[:])[:32]
}
