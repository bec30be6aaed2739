package postrider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestDecimalKeepsEveryDigit(t *testing.T) {
	for _, text := range []string{"0", "0.050000", "-0.000001", "123456789012345678.123457", "-12", "100.00"} {
		read, err := ParseDecimal(text)
		if err != nil || read.String() != text {
			t.Errorf("%s became %s (%v)", text, read, err)
		}
	}
	for _, text := range []string{"", "1e3", "0x1", ".5", "1.", "+1", "NaN", "1,5", " 1"} {
		if read, err := ParseDecimal(text); err == nil {
			t.Errorf("%q became %s", text, read)
		}
	}
}

func TestDecimalCalculates(t *testing.T) {
	one, other := mustDecimal(t, "0.1"), mustDecimal(t, "0.20")
	if sum := one.Add(other).String(); sum != "0.30" {
		t.Error(sum)
	}
	if rest := one.Sub(other).String(); rest != "-0.10" {
		t.Error(rest)
	}
	var zero Decimal
	if one.Cmp(other) != -1 || !other.Equal(mustDecimal(t, "0.2")) || zero.String() != "0" || !zero.Equal(mustDecimal(t, "0.00")) {
		t.Error("not compared by their value")
	}
	if other.Rat().RatString() != "1/5" || zero.Sign() != 0 || mustDecimal(t, "-0.1").Sign() != -1 {
		t.Error("not the same number")
	}
}

func TestDecimalIsTextInJSON(t *testing.T) {
	var amounts struct {
		Price  Decimal
		Limit  *Decimal
		Frozen *Decimal
	}
	if err := json.Unmarshal([]byte(`{"Price": "0.050000", "Limit": null, "Frozen": "1.5"}`), &amounts); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(amounts)
	if err != nil || string(text) != `{"Price":"0.050000","Limit":null,"Frozen":"1.5"}` {
		t.Error(string(text), err)
	}
	if err := json.Unmarshal([]byte(`{"Price": 0.05}`), &amounts); err == nil {
		t.Error("a float was taken for an amount")
	}
}

func mustDecimal(t *testing.T, text string) Decimal {
	t.Helper()
	read, err := ParseDecimal(text)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func TestSecretsAreInNoText(t *testing.T) {
	key := NewOwnCredential{APIKey: "ak_1", APISecret: "sk_hush", Secret: "sk_hush"}
	content, err := json.Marshal(key)
	if err != nil {
		t.Fatal(err)
	}
	client, err := New("https://sms.example.com", "ak_1", "sk_hush")
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	for _, value := range []any{key, &key, key.Secret, client} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			text += fmt.Sprintf(verb, value)
		}
	}
	if strings.Contains(text, "hush") || strings.Contains(text, "68757368") {
		t.Error(text)
	}
	if key.Secret.Reveal() != "sk_hush" {
		t.Error("the secret cannot be read")
	}
}

func TestRequestsAreWrittenAsTheyTravel(t *testing.T) {
	moment := time.Date(2026, 5, 1, 8, 0, 0, 1_500_000, time.FixedZone("", 8*3600))
	for want, given := range map[string]any{
		`{"template_no":"M1","phones":[],"auto_freeze":false,"send_at":"2026-05-01T00:00:00.001Z"}`: SendRequest{
			TemplateNo: "M1", Phones: []string{}, AutoFreeze: Bool(false), SendAt: moment,
		},
		`{"description":null}`: WebhookChange{Description: Null[string]()},
		`{"description":""}`:   WebhookChange{Description: Value("")},
		`{}`:                   WebhookChange{},
		"{\"p2\":1,\"p10\":\"\u2028<退>\\u0001\\n\"}": Variables{"p10": "\u2028<退>\x01\n", "p2": 1},
		`["a","0.10"]`: []any{VariableList{"a"}[0], Decimal{}.Add(mustDecimal(t, "0.10"))},
	} {
		text, err := encodeJSON(given)
		if err != nil || string(text) != want {
			t.Errorf("%s, not %s (%v)", text, want, err)
		}
	}
	if path := fillPath("/numbers/{}/", "a/b +?"); path != "/numbers/a%2Fb%20%2B%3F/" {
		t.Error(path)
	}
}

func TestRowsAreCutInPiecesOfAnySize(t *testing.T) {
	file := "a,cursor\n\"x\n\"\"y\"\"\",1\nz,2\nrest"
	for size := 1; size <= len(file); size++ {
		cutter, text, rows, last := &rowCutter{hasQuotes: true}, "", 0, ""
		for at := 0; at < len(file); at += size {
			end := at + size
			if end > len(file) {
				end = len(file)
			}
			whole, count, row := cutter.push([]byte(file[at:end]))
			text += string(whole)
			rows += count
			if count > 0 {
				last = string(row)
			}
		}
		if text+string(cutter.rest) != file || rows != 3 || last != "z,2\n" || string(cutter.rest) != "rest" {
			t.Errorf("pieces of %d: %q, %d rows, %q", size, text, rows, last)
		}
	}
}

type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

func openWith(t *testing.T, transport transportFunc) *Client {
	t.Helper()
	client, err := New("http://sms.example.com", "ak_1", "sk_1", WithTransport(transport))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestContextEndsACallAndNamesWhatMayHaveArrived(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	attempts := 0
	client := openWith(t, func(request *http.Request) (*http.Response, error) {
		attempts++
		cancel()
		<-request.Context().Done()
		return nil, request.Context().Err()
	})
	_, err := client.Send(ctx, SendRequest{TemplateNo: "M1", Phones: []string{"1"}, ClientRequestID: "order-1"})
	var lost *ConnectionError
	if !errors.As(err, &lost) || lost.ClientRequestID != "order-1" || !errors.Is(err, context.Canceled) || attempts != 1 {
		t.Error(err, attempts)
	}
}

func TestWaitEndsWithTheDeadlineOfItsContext(t *testing.T) {
	client := openWith(t, func(*http.Request) (*http.Response, error) {
		body := io.NopCloser(strings.NewReader(`{"task_no": "T1", "stage": "waiting_receipt"}`))
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: body}, nil
	})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := client.WaitForTask(ctx, "T1", WaitOptions{})
	var over *WaitTimeoutError
	if !errors.As(err, &over) || over.Task == nil || over.Task.TaskNo != "T1" || !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestSendAllReadsNoFurtherThanItSends(t *testing.T) {
	read := 0
	numbers := NumberFunc(func() (Recipient, error) {
		read++
		return Recipient{Phone: fmt.Sprint(read)}, nil
	})
	client := openWith(t, func(*http.Request) (*http.Response, error) {
		body := io.NopCloser(strings.NewReader(`{"code": "insufficient_funds"}`))
		return &http.Response{StatusCode: 409, Header: http.Header{}, Body: body}, nil
	})
	options := SendAllOptions{NumbersPerTask: 10, Concurrency: 2}
	_, err := client.SendAll(context.Background(), SendRequest{TemplateNo: "M1"}, numbers, options)
	var problem *ProblemError
	if !errors.As(err, &problem) || problem.Code != ErrorCodeInsufficientFunds || read > 20 {
		t.Error(err, read)
	}
}

func TestMissingOptionsAreRefusedAtOnce(t *testing.T) {
	for _, given := range [][3]string{{"sms.example.com", "k", "s"}, {"https://a:b@sms.example.com", "k", "s"}, {"https://x", "", "s"}, {"https://x", "k", ""}} {
		_, err := New(given[0], given[1], given[2])
		var argument *ArgumentError
		if !errors.As(err, &argument) {
			t.Error(given, err)
		}
	}
}
