#!/usr/bin/env bash
# Signs a request, sends one message and waits for its receipt. Needs bash, curl and openssl.
set -euo pipefail

url=${POSTRIDER_URL:-http://127.0.0.1:8080}

sha256_hex() { openssl dgst -sha256 -r | cut -d' ' -f1; }

# sign SECRET METHOD TARGET TIMESTAMP BODY
# On a machine that others use, prefer a language with a built-in HMAC: `ps` shows the arguments of openssl.
sign() {
  local body_hash
  body_hash=$(printf '%s' "$5" | sha256_hex)
  printf '%s\n%s\n%s\n%s' "$2" "$3" "$4" "$body_hash" | openssl dgst -sha256 -hmac "$1" -r | cut -d' ' -f1
}

if [ "${1:-}" = --vectors ]; then
  sign sk_test_0123456789abcdef GET '/openapi/v1/messages/tasks/?page=1&page_size=20' 1794700800000 ''
  sign sk_test_0123456789abcdef POST /openapi/v1/messages/send/ 1794700800000 \
    '{"template_no":"T1","phones":["13800138000"]}'
  exit
fi

if [ $# -ne 1 ]; then
  echo 'Usage: bash send.sh PHONE | --vectors' >&2
  exit 2
fi

: "${POSTRIDER_API_KEY:?}" "${POSTRIDER_API_SECRET:?}" "${POSTRIDER_TEMPLATE_NO:?}"
phone=$1

# call METHOD TARGET BODY: prints the answer; a problem goes to standard error and ends the program.
call() {
  local timestamp answer status
  timestamp=$(date +%s)000
  answer=$(curl --silent --show-error --request "$1" "$url$2" --data-binary "$3" --write-out '\n%{http_code}' \
    --header 'Content-Type: application/json' \
    --header "X-API-Key: $POSTRIDER_API_KEY" \
    --header "X-Timestamp: $timestamp" \
    --header "X-Sign: $(sign "$POSTRIDER_API_SECRET" "$1" "$2" "$timestamp" "$3")")
  status=${answer##*$'\n'}
  answer=${answer%$'\n'*}
  if [ "$status" != 200 ]; then
    printf '%s\n' "$answer" >&2
    return 1
  fi
  printf '%s' "$answer"
}

# field NAME: the first string of that name in the JSON on standard input. Use jq where you have it.
field() { grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d'"' -f4; }

# A new id for each run of this example. Your program keeps one for each business request
# before it sends: sent again, it finds the task that is there.
body="{\"template_no\":\"$POSTRIDER_TEMPLATE_NO\",\"phones\":[\"$phone\"],\"variable_values\":{\"p1\":\"Ann\"},"
body+="\"client_request_id\":\"bash-$(openssl rand -hex 8)\",\"auto_freeze\":true,\"auto_submit\":true}"
task=$(call POST /openapi/v1/messages/send/ "$body")
task_no=$(field task_no <<<"$task")

for _ in $(seq 60); do
  receipts=$(call GET "/openapi/v1/messages/receipts/?task_no=$task_no" '')
  if [[ $receipts == *'"result":'* ]]; then
    echo "$task_no $phone $(field result <<<"$receipts") $(field code <<<"$receipts")"
    exit
  fi
  sleep 1
done
echo "no receipt yet for $task_no" >&2
exit 1
