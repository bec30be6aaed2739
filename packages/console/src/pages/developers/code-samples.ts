// A call as a program that signs it by itself, in six languages. The key is that of the session, the secret never shown.

export const LANGUAGES = ['curl', 'TypeScript', 'Python', 'PHP', 'Java', 'Go'] as const;
export type SampleLanguage = (typeof LANGUAGES)[number];

export interface SampleCall {
  readonly method: string;
  readonly target: string;
  readonly body: string;
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** Every one of these languages reads a JSON string the same way, save what `extra` names. */
function quote(text: string, extra = ''): string {
  const json = JSON.stringify(text);
  return extra === '' ? json : json.replaceAll(extra, `\\${extra}`);
}

function quoteShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export const samples: Record<SampleLanguage, (call: SampleCall) => string> = {
  curl: ({ method, target, body, baseUrl, apiKey }) => `# API_SECRET is in the environment
TARGET=${quoteShell(target)}
BODY=${quoteShell(body)}
TS=$(date +%s000)
HASH=$(printf %s "$BODY" | openssl dgst -sha256 -r | cut -d' ' -f1)
SIGN=$(printf '${method}\\n%s\\n%s\\n%s' "$TARGET" "$TS" "$HASH" \\
  | openssl dgst -sha256 -hmac "$API_SECRET" -r | cut -d' ' -f1)
curl -sS -X ${method} "${baseUrl}$TARGET" \\
  -H "X-API-Key: ${apiKey}" -H "X-Timestamp: $TS" -H "X-Sign: $SIGN"${body === '' ? '' : ` \\\n  -H 'Content-Type: application/json' --data-binary "$BODY"`}`,

  TypeScript: ({ method, target, body, baseUrl, apiKey }) => `import { createHash, createHmac } from 'node:crypto';

const target = ${quote(target)};
const body = ${quote(body)};
const timestamp = String(Date.now());
const hash = createHash('sha256').update(body).digest('hex');
const sign = createHmac('sha256', process.env.API_SECRET ?? '')
  .update(['${method}', target, timestamp, hash].join('\\n'))
  .digest('hex');
const response = await fetch(${quote(baseUrl)} + target, {
  method: '${method}',
  headers: {
    'X-API-Key': ${quote(apiKey)},
    'X-Timestamp': timestamp,
    'X-Sign': sign,${body === '' ? '' : "\n    'Content-Type': 'application/json',"}
  },${body === '' ? '' : '\n  body,'}
});
console.log(response.status, await response.json());`,

  Python: ({ method, target, body, baseUrl, apiKey }) => `import hashlib, hmac, os, time, urllib.request

target = ${quote(target)}
body = ${quote(body)}.encode()
timestamp = str(int(time.time() * 1000))
text = "\\n".join(["${method}", target, timestamp, hashlib.sha256(body).hexdigest()])
sign = hmac.new(os.environ["API_SECRET"].encode(), text.encode(), hashlib.sha256).hexdigest()
request = urllib.request.Request(
    ${quote(baseUrl)} + target, method="${method}", data=body or None,
    headers={"X-API-Key": ${quote(apiKey)}, "X-Timestamp": timestamp, "X-Sign": sign,
             "Content-Type": "application/json"})
print(urllib.request.urlopen(request).read().decode())`,

  PHP: ({ method, target, body, baseUrl, apiKey }) => `<?php
$target = ${quote(target, '$')};
$body = ${quote(body, '$')};
$timestamp = (string) (int) (microtime(true) * 1000);
$text = implode("\\n", ["${method}", $target, $timestamp, hash('sha256', $body)]);
$sign = hash_hmac('sha256', $text, getenv('API_SECRET'));
$curl = curl_init(${quote(baseUrl, '$')} . $target);
curl_setopt_array($curl, [
    CURLOPT_CUSTOMREQUEST => "${method}",
    CURLOPT_RETURNTRANSFER => true,${body === '' ? '' : '\n    CURLOPT_POSTFIELDS => $body,'}
    CURLOPT_HTTPHEADER => [${quote(`X-API-Key: ${apiKey}`, '$')}, "X-Timestamp: $timestamp", "X-Sign: $sign",
        "Content-Type: application/json"],
]);
echo curl_exec($curl);`,

  Java: ({ method, target, body, baseUrl, apiKey }) => `import java.net.URI;
import java.net.http.*;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Call {
  public static void main(String[] args) throws Exception {
    var target = ${quote(target)};
    var body = ${quote(body)};
    var timestamp = String.valueOf(System.currentTimeMillis());
    var hex = HexFormat.of();
    var hash = hex.formatHex(MessageDigest.getInstance("SHA-256").digest(body.getBytes("UTF-8")));
    var mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(System.getenv("API_SECRET").getBytes("UTF-8"), "HmacSHA256"));
    var sign = hex.formatHex(mac.doFinal(String.join("\\n", "${method}", target, timestamp, hash).getBytes("UTF-8")));
    var request = HttpRequest.newBuilder(URI.create(${quote(baseUrl)} + target))
        .header("X-API-Key", ${quote(apiKey)}).header("X-Timestamp", timestamp).header("X-Sign", sign)
        .header("Content-Type", "application/json")
        .method("${method}", HttpRequest.BodyPublishers.ofString(body)).build();
    System.out.println(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body());
  }
}`,

  Go: ({ method, target, body, baseUrl, apiKey }) => `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

func main() {
	target, body := ${quote(target)}, ${quote(body)}
	timestamp := fmt.Sprint(time.Now().UnixMilli())
	hash := sha256.Sum256([]byte(body))
	mac := hmac.New(sha256.New, []byte(os.Getenv("API_SECRET")))
	mac.Write([]byte(strings.Join([]string{"${method}", target, timestamp, hex.EncodeToString(hash[:])}, "\\n")))
	request, _ := http.NewRequest("${method}", ${quote(baseUrl)}+target, strings.NewReader(body))
	request.Header.Set("X-API-Key", ${quote(apiKey)})
	request.Header.Set("X-Timestamp", timestamp)
	request.Header.Set("X-Sign", hex.EncodeToString(mac.Sum(nil)))
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	answer, _ := io.ReadAll(response.Body)
	fmt.Println(response.Status, string(answer))
}`,
};
