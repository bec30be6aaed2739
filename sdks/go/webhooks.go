package postrider

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// An older call, or one from the future, may be a replay.
const webhookTolerance = 300 * time.Second

var timestampPattern = regexp.MustCompile(`^[0-9]{1,12}$`)

// WebhookMessage is what a webhook receives.
type WebhookMessage struct {
	// Stays the same when a message comes again, so that it can be recognised.
	ID        string
	Type      string
	Timestamp time.Time
	// By the type *ReceiptItems, *UplinkItems, *Task, *Batch, *LowBalance, *ReviewedTemplate or *TestMessage; of a type
	// that this version does not know json.RawMessage.
	Data any
}

// VerifyWebhook returns the message of a call to your webhook (Standard Webhooks), once it is proven to be from the
// service. The body is as it came, before anything has parsed it. The error is a WebhookError otherwise: answer 400 then.
// During a rotation, both secrets are accepted, as the service signs by both.
func VerifyWebhook(secret string, header http.Header, body []byte) (*WebhookMessage, error) {
	return VerifyWebhookAt(time.Now(), secret, header, body)
}

// VerifyWebhookAt is VerifyWebhook at another time, for tests.
func VerifyWebhookAt(now time.Time, secret string, header http.Header, body []byte) (*WebhookMessage, error) {
	for _, name := range []string{"Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"} {
		if header.Get(name) == "" {
			return nil, &WebhookError{"the header " + name + " is missing"}
		}
	}
	id, timestamp := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	if !timestampPattern.MatchString(timestamp) {
		return nil, &WebhookError{"the timestamp is no number"}
	}
	seconds, _ := strconv.ParseInt(timestamp, 10, 64)
	if age := now.Sub(time.Unix(seconds, 0)); age > webhookTolerance || age < -webhookTolerance {
		return nil, &WebhookError{"the timestamp is too far from now"}
	}
	key := decodeBase64(strings.TrimPrefix(secret, "whsec_"))
	if len(key) == 0 {
		return nil, &WebhookError{"the secret must be whsec_ and base64, as it was shown"}
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	if !isSignedBy(mac.Sum(nil), header.Get("Webhook-Signature")) {
		return nil, &WebhookError{"no signature is by this secret"}
	}
	return readMessage(id, body)
}

// During a rotation there are several signatures: by the new secret and by the old one.
func isSignedBy(expected []byte, signatures string) bool {
	for _, signature := range strings.Split(signatures, " ") {
		version, encoded, _ := strings.Cut(signature, ",")
		if version == "v1" && hmac.Equal(decodeBase64(encoded), expected) {
			return true
		}
	}
	return false
}

// Nothing for what is no base64; missing padding is forgiven.
func decodeBase64(text string) []byte {
	decoded, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	if err != nil {
		return nil
	}
	return decoded
}

func readMessage(id string, body []byte) (*WebhookMessage, error) {
	var message struct {
		Type      string          `json:"type"`
		Timestamp time.Time       `json:"timestamp"`
		Data      json.RawMessage `json:"data"`
	}
	if err := decode(body, &message); err != nil || message.Type == "" {
		return nil, &WebhookError{"the message cannot be read"}
	}
	data := newWebhookData(message.Type)
	if data == nil {
		return &WebhookMessage{id, message.Type, message.Timestamp, message.Data}, nil
	}
	if err := decode(message.Data, data); err != nil {
		return nil, &WebhookError{"the message cannot be read"}
	}
	return &WebhookMessage{id, message.Type, message.Timestamp, data}, nil
}
