// Signs a request, sends one message and waits for its receipt. Go 1.18 or later, no dependency: go run send.go
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

func sign(secret, method, target, timestamp string, body []byte) string {
	bodyHash := sha256.Sum256(body)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(strings.Join([]string{method, target, timestamp, hex.EncodeToString(bodyHash[:])}, "\n")))
	return hex.EncodeToString(mac.Sum(nil))
}

func setting(name string) string {
	value := os.Getenv(name)
	if value == "" {
		log.Fatalf("%s is not set", name)
	}
	return value
}

func call(method, target string, body []byte, answer any) error {
	url := os.Getenv("POSTRIDER_URL")
	if url == "" {
		url = "http://127.0.0.1:8080"
	}
	// The bytes that were signed are the bytes that are sent.
	request, err := http.NewRequest(method, url+target, bytes.NewReader(body))
	if err != nil {
		return err
	}
	timestamp := strconv.FormatInt(time.Now().UnixMilli(), 10)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-API-Key", setting("POSTRIDER_API_KEY"))
	request.Header.Set("X-Timestamp", timestamp)
	request.Header.Set("X-Sign", sign(setting("POSTRIDER_API_SECRET"), method, target, timestamp, body))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s", text)
	}
	return json.Unmarshal(text, answer)
}

func send(phone string) error {
	id := make([]byte, 8)
	if _, err := rand.Read(id); err != nil {
		return err
	}
	body, err := json.Marshal(map[string]any{
		"template_no":     setting("POSTRIDER_TEMPLATE_NO"),
		"phones":          []string{phone},
		"variable_values": map[string]string{"p1": "Ann"},
		// A new id for each run of this example. Your program keeps one for each business request
		// before it sends: sent again, it finds the task that is there.
		"client_request_id": "go-" + hex.EncodeToString(id),
		"auto_freeze":       true,
		"auto_submit":       true,
	})
	if err != nil {
		return err
	}
	var task struct {
		TaskNo string `json:"task_no"`
	}
	if err := call("POST", "/openapi/v1/messages/send/", body, &task); err != nil {
		return err
	}
	for attempt := 0; attempt < 60; attempt++ {
		var receipts struct {
			Items []struct{ Result, Code string }
		}
		if err := call("GET", "/openapi/v1/messages/receipts/?task_no="+task.TaskNo, nil, &receipts); err != nil {
			return err
		}
		for _, receipt := range receipts.Items {
			fmt.Println(task.TaskNo, phone, receipt.Result, receipt.Code)
			return nil
		}
		time.Sleep(time.Second)
	}
	return fmt.Errorf("no receipt yet for %s", task.TaskNo)
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "Usage: go run send.go PHONE | --vectors")
		os.Exit(2)
	}
	phone := os.Args[1]
	if phone == "--vectors" {
		secret := "sk_test_0123456789abcdef"
		body := []byte(`{"template_no":"T1","phones":["13800138000"]}`)
		fmt.Println(sign(secret, "GET", "/openapi/v1/messages/tasks/?page=1&page_size=20", "1794700800000", nil))
		fmt.Println(sign(secret, "POST", "/openapi/v1/messages/send/", "1794700800000", body))
		return
	}
	if err := send(phone); err != nil {
		log.Fatal(err)
	}
}
