source ./call.sh

query="result=undelivered&start_at=$(($(date +%s) - 3600))000&page_size=100"
page=$(call GET "/openapi/v1/messages/receipts/?$query")
echo "$(jq .total <<< "$page") undelivered in the last hour"
while jq -r '.items[] | "\(.phone) \(.code)"' <<< "$page"; do
  cursor=$(jq -r '.next_cursor // empty' <<< "$page")
  if [ -z "$cursor" ]; then break; fi
  page=$(call GET "/openapi/v1/messages/receipts/?$query&cursor=$cursor")
done
