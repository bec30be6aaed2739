source ./call.sh

for task_no in $(call GET '/openapi/v1/messages/tasks/?stage=submit_unknown&page_size=100' | jq -r '.items[].task_no'); do
  call GET "/openapi/v1/downstream/submits/?task_no=$task_no&status=unknown&page_size=100" |
    jq -r '.items[] | "\(.phone) \(.status)"'
done
