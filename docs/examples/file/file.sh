source ./call.sh

call GET '/openapi/v1/messages/receipts/?start_at=2026-11-01T00:00:00Z' '' --header 'Accept: text/csv' > november.csv
echo "$(($(wc -l < november.csv) - 1)) receipts; the next file continues from $(tail -n 1 november.csv | sed 's/.*,//')"
