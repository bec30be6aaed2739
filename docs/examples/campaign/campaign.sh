source ./call.sh

for request in 1 2 3; do
  phones=$(seq -f '"139%07.0f0"' $((request * 100 - 100)) $((request * 100 - 1)) | paste -sd, -)
  call POST /openapi/v1/messages/send/ '{
    "template_no": "'"$POSTRIDER_TEMPLATE_NO"'",
    "phones": ['"$phones"'],
    "variable_values": { "p1": "all" },
    "batch_id": "july-campaign",
    "client_request_id": "july-campaign.'"$request"'",
    "auto_freeze": true,
    "auto_submit": true
  }' > /dev/null
done
call GET /openapi/v1/messages/batches/july-campaign/ | jq -r '"\(.counts.total) numbers in \(.tasks) tasks"'
