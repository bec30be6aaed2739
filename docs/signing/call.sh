# call METHOD TARGET [BODY [ARGUMENT …]]: signs a request, sends it and prints the answer; further arguments go to curl.
# For bash or zsh, with curl and openssl.
# Reads POSTRIDER_URL, POSTRIDER_API_KEY and POSTRIDER_API_SECRET from the environment.
call() {
  local timestamp body_hash signature
  timestamp=$(date +%s)000
  body_hash=$(printf '%s' "${3:-}" | openssl dgst -sha256 -r | cut -d' ' -f1)
  signature=$(printf '%s\n%s\n%s\n%s' "$1" "$2" "$timestamp" "$body_hash" |
    openssl dgst -sha256 -hmac "$POSTRIDER_API_SECRET" -r | cut -d' ' -f1)
  curl --silent --show-error --request "$1" "$POSTRIDER_URL$2" --data-binary "${3:-}" \
    --header 'Content-Type: application/json' \
    --header "X-API-Key: $POSTRIDER_API_KEY" \
    --header "X-Timestamp: $timestamp" \
    --header "X-Sign: $signature" "${@:4}"
}
