source ./call.sh

preview=$(call POST /openapi/v1/messages/preview/ '{
  "template_no": "'"$POSTRIDER_TEMPLATE_NO"'",
  "phones": ["13800139001", "13800139002", "12345"],
  "variable_values": { "p1": "Ann" }
}')
jq -r '"\(.sendable) of \(.total) numbers for \(.price) \(.currency)"' <<< "$preview"
jq -r '.rejections[] | "\(.phone) \(.code)"' <<< "$preview"
