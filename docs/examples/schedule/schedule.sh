source ./call.sh

hours() { jq -nr "now + $1 * 3600 | floor | todate"; }

task_no=$(call POST /openapi/v1/messages/send/ '{
  "template_no": "'"$POSTRIDER_TEMPLATE_NO"'",
  "phones": ["13800138000"],
  "variable_values": { "p1": "Ann" },
  "auto_freeze": true,
  "auto_submit": true,
  "send_at": "'"$(hours 2)"'",
  "expires_at": "'"$(hours 10)"'"
}' | jq -r .task_no)
task=/openapi/v1/messages/tasks/$task_no
call PATCH "$task/" '{"send_at":"'"$(hours 3)"'"}' | jq -r .waits_for
call POST "$task/pause/" | jq -r .waits_for
call POST "$task/resume/" | jq -r .waits_for
call POST "$task/cancel/" | jq -r '"\(.stage), \(.amounts.released) released"'
