source ./call.sh

task_no=$(call POST /openapi/v1/messages/send/ '{
  "template_no": "'"$POSTRIDER_TEMPLATE_NO"'",
  "recipients": [
    { "phone": "13800139001", "variable_values": { "p1": "Ann" } },
    { "phone": "13800139002", "variable_values": { "p1": "Bob" } }
  ],
  "client_request_id": "welcome-2026-11-15",
  "auto_freeze": true,
  "auto_submit": true
}' | jq -r .task_no)
until call GET "/openapi/v1/messages/tasks/$task_no/" | jq -e .completed_at > /dev/null; do sleep 1; done
call GET "/openapi/v1/messages/receipts/?task_no=$task_no" | jq -r '.items[] | "\(.phone) \(.result)"' | sort
