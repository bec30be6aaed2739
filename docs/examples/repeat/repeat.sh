source ./call.sh

send() {
  call POST /openapi/v1/messages/send/ '{
    "template_no": "'"$POSTRIDER_TEMPLATE_NO"'",
    "phones": ["'"$1"'"],
    "variable_values": { "p1": "Ann" },
    "client_request_id": "order-1000"
  }' --include
}

for attempt in 1 2; do
  answer=$(send 13800139001)
  if grep -qi '^idempotent-replayed: true' <<< "$answer"; then
    echo replayed
  else
    echo accepted
  fi
done
send 13800139002 | tail -n 1 | jq -r .code
