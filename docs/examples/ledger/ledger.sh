source ./call.sh

# As a file, the oldest entry comes first. Whole millionths are exact in jq.
call GET /openapi/v1/finance/ledgers/ '' --header 'Accept: application/x-ndjson' > ledger.ndjson
jq -nr '
  def millionths: sub("[.]"; "") | sub("^(?<sign>-?)0+(?<digit>[0-9])"; "\(.sign)\(.digit)") | tonumber;
  reduce inputs as $entry ({ seq: 0, available: 0, frozen: 0 };
    .seq += 1
    | .available += ($entry.available_delta | millionths)
    | .frozen += ($entry.frozen_delta | millionths)
    | if .seq != $entry.seq then error("entry \(.seq) is missing")
      elif .available != ($entry.available_after | millionths) then error("entry \(.seq): available does not add up")
      elif .frozen != ($entry.frozen_after | millionths) then error("entry \(.seq): frozen does not add up")
      else . end)
  | "every entry adds up"' ledger.ndjson
