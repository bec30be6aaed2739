// Signs a request, sends it and returns the answer. Go 1.18 or later. Paths of the operator take the token.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

func sign(method, target, timestamp, body string) string {
	bodyHash := sha256.Sum256([]byte(body))
	mac := hmac.New(sha256.New, []byte(os.Getenv("POSTRIDER_API_SECRET")))
	mac.Write([]byte(strings.Join([]string{method, target, timestamp, hex.EncodeToString(bodyHash[:])}, "\n")))
	return hex.EncodeToString(mac.Sum(nil))
}

func call(method, target, body string) (string, error) {
	request, err := http.NewRequest(method, os.Getenv("POSTRIDER_URL")+target, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	if strings.HasPrefix(target, "/operator/") {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("POSTRIDER_OPERATOR_TOKEN"))
	} else {
		timestamp := strconv.FormatInt(time.Now().UnixMilli(), 10)
		request.Header.Set("X-API-Key", os.Getenv("POSTRIDER_API_KEY"))
		request.Header.Set("X-Timestamp", timestamp)
		request.Header.Set("X-Sign", sign(method, target, timestamp, body))
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return string(answer), err
}
