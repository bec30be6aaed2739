// The conformance runner of the Go client: see sdks/README.md of the project.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"strings"
	"sync"
	"time"

	"postrider.example/postrider"
)

// Notes what it is asked to sleep, and does not sleep unless it is to.
type runnerClock struct {
	mutex  sync.Mutex
	offset time.Duration
	isReal bool
}

var sleeps = []float64{}

func (c *runnerClock) Now() time.Time {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return time.Now().Add(c.offset)
}

func (c *runnerClock) Sleep(ctx context.Context, pause time.Duration) error {
	c.mutex.Lock()
	sleeps = append(sleeps, float64(pause)/float64(time.Millisecond))
	if !c.isReal {
		c.offset += pause
		pause = 0
	}
	c.mutex.Unlock()
	select {
	case <-time.After(pause):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// What a call is given; each reads its part.
type options struct {
	BaseURL   string                 `json:"base_url"`
	APIKey    string                 `json:"api_key"`
	APISecret string                 `json:"api_secret"`
	TimeoutMS int64                  `json:"timeout_ms"`
	Retry     struct{ Attempts int } `json:"retry"`
	Clock     struct {
		OffsetMS int64  `json:"offset_ms"`
		Sleep    string `json:"sleep"`
	} `json:"clock"`
	Random          float64           `json:"random"`
	Secret          string            `json:"secret"`
	Method          string            `json:"method"`
	Target          string            `json:"target"`
	TimestampMS     int64             `json:"timestamp_ms"`
	Headers         map[string]string `json:"headers"`
	Body            json.RawMessage   `json:"body"`
	NowMS           int64             `json:"now_ms"`
	Request         json.RawMessage   `json:"request"`
	ClientRequestID string            `json:"client_request_id"`
	TaskNo          string            `json:"task_no"`
	Move            string            `json:"move"`
	List            string            `json:"list"`
	Filters         json.RawMessage   `json:"filters"`
	Page            int               `json:"page"`
	PageSize        int               `json:"page_size"`
	Cursor          string            `json:"cursor"`
	Format          string            `json:"format"`
	Head            *bool             `json:"head"`
	Numbers         []json.RawMessage `json:"numbers"`
	NumbersPerTask  int               `json:"numbers_per_task"`
	Concurrency     int               `json:"concurrency"`
}

func (o options) bodyText() []byte {
	var text string
	must(json.Unmarshal(o.Body, &text))
	return []byte(text)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func readVariables(content json.RawMessage) postrider.VariableValues {
	if len(content) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	if content[0] == '[' {
		var list postrider.VariableList
		must(decoder.Decode(&list))
		return list
	}
	var named postrider.Variables
	must(decoder.Decode(&named))
	return named
}

func readRequest(content json.RawMessage) postrider.SendRequest {
	var fields map[string]json.RawMessage
	must(json.Unmarshal(content, &fields))
	variables := readVariables(fields["variable_values"])
	delete(fields, "variable_values")
	rest, err := json.Marshal(fields)
	must(err)
	var request postrider.SendRequest
	must(json.Unmarshal(rest, &request))
	request.VariableValues = variables
	return request
}

func readNumber(content json.RawMessage) postrider.Recipient {
	var number struct {
		Phone  string          `json:"phone"`
		Values json.RawMessage `json:"variable_values"`
	}
	if content[0] == '"' {
		must(json.Unmarshal(content, &number.Phone))
	} else {
		must(json.Unmarshal(content, &number))
	}
	return postrider.Recipient{Phone: number.Phone, VariableValues: readVariables(number.Values)}
}

// Writes what the client gives as it travels; an amount says that it is a decimal.
func wire(value reflect.Value) any {
	if !value.IsValid() {
		return nil
	}
	switch known := value.Interface().(type) {
	case postrider.Decimal:
		return map[string]string{"$decimal": known.String()}
	case time.Time:
		return known
	case json.RawMessage:
		return known
	}
	switch value.Kind() {
	case reflect.Pointer, reflect.Interface:
		return wire(value.Elem())
	case reflect.Slice:
		list := []any{}
		for at := 0; at < value.Len(); at++ {
			list = append(list, wire(value.Index(at)))
		}
		return list
	case reflect.Map:
		named := map[string]any{}
		for _, key := range value.MapKeys() {
			named[key.String()] = wire(value.MapIndex(key))
		}
		return named
	case reflect.Struct:
		named := map[string]any{}
		for at := 0; at < value.NumField(); at++ {
			name, _, _ := strings.Cut(value.Type().Field(at).Tag.Get("json"), ",")
			named[name] = wire(value.Field(at))
		}
		return named
	case reflect.String:
		// A word that is null is empty.
		if value.Type().PkgPath() != "" && value.Len() == 0 {
			return nil
		}
		return value.Interface()
	default:
		return value.Interface()
	}
}

func textOrNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func describeError(err error) map[string]any {
	text := fmt.Sprintf("%v %+v %#v", err, err, err)
	var problem *postrider.ProblemError
	var connection *postrider.ConnectionError
	var wait *postrider.WaitTimeoutError
	var webhook *postrider.WebhookError
	var argument *postrider.ArgumentError
	switch {
	case errors.As(err, &wait):
		var taskNo any
		if wait.Task != nil {
			taskNo = wait.Task.TaskNo
		}
		return map[string]any{"kind": "wait_timeout", "text": text, "task_no": taskNo}
	case errors.As(err, &problem):
		told := map[string]any{
			"kind": "problem", "text": text, "status": problem.Status, "code": problem.Code, "key": problem.Key,
			"params": problem.Params, "title": problem.Title, "detail": textOrNull(problem.Detail),
			"request_id": textOrNull(problem.RequestID), "errors": problem.Errors, "from_service": problem.FromService,
			"outcome_unknown": problem.OutcomeUnknown, "retry_after_ms": nil, "server_time_ms": nil,
		}
		if problem.RetryAfter != nil {
			told["retry_after_ms"] = problem.RetryAfter.Milliseconds()
		}
		if problem.ServerTime != nil {
			told["server_time_ms"] = problem.ServerTime.UnixMilli()
		}
		return told
	case errors.As(err, &connection):
		id := textOrNull(connection.ClientRequestID)
		return map[string]any{"kind": "connection", "text": text, "reason": connection.Reason, "client_request_id": id}
	case errors.As(err, &webhook):
		return map[string]any{"kind": "webhook", "text": text}
	case errors.As(err, &argument):
		return map[string]any{"kind": "argument", "text": text}
	default:
		return map[string]any{"kind": "other", "text": text}
	}
}

var client *postrider.Client

func open(given options) error {
	if client != nil {
		client.Close()
	}
	clock := &runnerClock{
		offset: time.Duration(given.Clock.OffsetMS) * time.Millisecond,
		isReal: given.Clock.Sleep == "real",
	}
	changes := []postrider.Option{
		postrider.WithClock(clock),
		postrider.WithRandom(func() float64 { return given.Random }),
		postrider.WithRetry(postrider.RetryPolicy{Attempts: given.Retry.Attempts}),
	}
	if given.TimeoutMS != 0 {
		changes = append(changes, postrider.WithTimeout(time.Duration(given.TimeoutMS)*time.Millisecond))
	}
	opened, err := postrider.New(given.BaseURL, given.APIKey, given.APISecret, changes...)
	client = opened
	return err
}

func describe() any {
	inside := reflect.ValueOf(client).Elem()
	return map[string]string{"text": fmt.Sprintf("%v %+v %#v %s %v %+v %#v", client, client, client, client, inside, inside, inside)}
}

func verifyWebhook(given options) (any, error) {
	header := http.Header{}
	for name, value := range given.Headers {
		header.Set(name, value)
	}
	message, err := postrider.VerifyWebhookAt(time.UnixMilli(given.NowMS), given.Secret, header, given.bodyText())
	if err != nil {
		return nil, err
	}
	items := reflect.ValueOf(message.Data).Elem().FieldByName("Items").Len()
	return map[string]any{"id": message.ID, "type": message.Type, "items": items}, nil
}

func openTasks(given options) *postrider.FileList[postrider.Task] {
	var filters postrider.TaskFilters
	readFilters(given, &filters)
	list := client.Tasks(filters)
	list.PageSize = given.PageSize
	return list
}

func openReceipts(given options) *postrider.FileList[postrider.Receipt] {
	var filters postrider.ReceiptFilters
	readFilters(given, &filters)
	list := client.Receipts(filters)
	list.PageSize = given.PageSize
	return list
}

func readFilters(given options, filters any) {
	if len(given.Filters) > 0 {
		must(json.Unmarshal(given.Filters, filters))
	}
}

func readPage[T any](ctx context.Context, list *postrider.List[T], given options) (any, error) {
	if given.Cursor != "" {
		return list.PageAt(ctx, given.Cursor)
	}
	return list.Page(ctx, given.Page)
}

func walk[T any](ctx context.Context, list *postrider.List[T]) (any, error) {
	items := []T{}
	all := list.All(ctx)
	for all.Next() {
		items = append(items, *all.Item())
	}
	return struct {
		Items []T `json:"items"`
	}{items}, all.Err()
}

func readList(ctx context.Context, call string, given options) (any, error) {
	isWalk := call == "walk"
	switch {
	case given.List == "tasks" && isWalk:
		return walk(ctx, &openTasks(given).List)
	case given.List == "tasks":
		return readPage(ctx, &openTasks(given).List, given)
	case given.List == "receipts" && isWalk:
		return walk(ctx, &openReceipts(given).List)
	case given.List == "receipts":
		return readPage(ctx, &openReceipts(given).List, given)
	case isWalk:
		return walk(ctx, &client.Firms().List)
	default:
		return readPage(ctx, &client.Firms().List, given)
	}
}

func openFile[T any](ctx context.Context, list *postrider.FileList[T], given options) *postrider.File {
	choices := []postrider.FileOption{}
	if given.Cursor != "" {
		choices = append(choices, postrider.From(given.Cursor))
	}
	if given.Head != nil && !*given.Head {
		choices = append(choices, postrider.WithoutHead())
	}
	if given.Format == "csv" {
		return list.CSV(ctx, choices...)
	}
	return list.NDJSON(ctx, choices...)
}

func export(ctx context.Context, given options) (any, error) {
	var file *postrider.File
	if given.List == "tasks" {
		file = openFile(ctx, openTasks(given), given)
	} else {
		file = openFile(ctx, openReceipts(given), given)
	}
	var text strings.Builder
	_, err := file.WriteTo(&text)
	return map[string]any{"text": text.String(), "rows": file.Rows(), "cursor": textOrNull(file.Cursor())}, err
}

func sendAll(ctx context.Context, given options) (any, error) {
	numbers := []postrider.Recipient{}
	for _, one := range given.Numbers {
		numbers = append(numbers, readNumber(one))
	}
	choices := postrider.SendAllOptions{NumbersPerTask: given.NumbersPerTask, Concurrency: given.Concurrency}
	summary, err := client.SendAll(ctx, readRequest(given.Request), postrider.Recipients(numbers...), choices)
	return map[string]any{
		"batch_id": textOrNull(summary.BatchID), "tasks": summary.Tasks, "numbers": summary.Numbers, "replayed": summary.Replayed,
	}, err
}

func createCredential(ctx context.Context, given options) (any, error) {
	var body struct{ Name string }
	must(json.Unmarshal(given.Body, &body))
	return client.CreateCredential(ctx, postrider.CredentialRequest{Name: postrider.Value(body.Name)})
}

func moveTask(ctx context.Context, given options) (any, error) {
	moves := map[string]func(context.Context, string) (*postrider.Task, error){
		"prepare": client.PrepareTask, "freeze": client.FreezeTask, "submit": client.SubmitTask,
		"cancel": client.CancelTask, "pause": client.PauseTask, "resume": client.ResumeTask,
	}
	return moves[given.Move](ctx, given.TaskNo)
}

func run(ctx context.Context, call string, given options) (any, error) {
	switch call {
	case "open":
		return nil, open(given)
	case "describe":
		return describe(), nil
	case "sign":
		return postrider.SignRequest(given.Secret, given.Method, given.Target, given.TimestampMS, given.bodyText()), nil
	case "verify_webhook":
		return verifyWebhook(given)
	case "account":
		return client.Account(ctx)
	case "send":
		return client.Send(ctx, readRequest(given.Request))
	case "preview":
		return client.Preview(ctx, readRequest(given.Request))
	case "find_task":
		return client.FindTask(ctx, given.ClientRequestID)
	case "task":
		return client.Task(ctx, given.TaskNo)
	case "wait_for_task":
		limit := time.Duration(given.TimeoutMS) * time.Millisecond
		return client.WaitForTask(ctx, given.TaskNo, postrider.WaitOptions{Timeout: limit})
	case "move_task":
		return moveTask(ctx, given)
	case "create_credential":
		return createCredential(ctx, given)
	case "page", "walk":
		return readList(ctx, call, given)
	case "export":
		return export(ctx, given)
	case "send_all":
		return sendAll(ctx, given)
	default:
		return nil, fmt.Errorf("no call %q", call)
	}
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 && line[0] == '{' {
			var question struct {
				ID   int64   `json:"id"`
				Call string  `json:"call"`
				With options `json:"with"`
			}
			must(json.Unmarshal(line, &question))
			sleeps = []float64{}
			answer := map[string]any{"id": question.ID}
			result, failure := run(context.Background(), question.Call, question.With)
			if failure != nil {
				answer["error"] = describeError(failure)
			} else {
				answer["ok"] = wire(reflect.ValueOf(result))
			}
			answer["sleeps_ms"] = sleeps
			must(out.Encode(answer))
		}
		if err != nil {
			return
		}
	}
}
