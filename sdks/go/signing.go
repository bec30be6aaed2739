package postrider

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// SignRequest returns X-Sign; needed only where requests are made without a Client. The target is the path with its
// query, as it stands on the request line, and the time is in milliseconds since the epoch.
func SignRequest(apiSecret, method, target string, timestampMS int64, body []byte) string {
	bodyHash := sha256.Sum256(body)
	mac := hmac.New(sha256.New, []byte(apiSecret))
	mac.Write([]byte(method + "\n" + target + "\n" + strconv.FormatInt(timestampMS, 10) + "\n" + hex.EncodeToString(bodyHash[:])))
	return hex.EncodeToString(mac.Sum(nil))
}
