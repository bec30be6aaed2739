import os

from postrider import Client, ProblemError

client = Client(
    os.environ["POSTRIDER_URL"],
    os.environ["POSTRIDER_API_KEY"],
    os.environ["POSTRIDER_API_SECRET"],
)
request = {
    "template_no": os.environ["POSTRIDER_TEMPLATE_NO"],
    "variable_values": {"p1": "Ann"},
    "client_request_id": "order-1000",
}
for attempt in (1, 2):
    sent = client.send_or_replay(phones=["13800139001"], **request)
    print("replayed" if sent.replayed else "accepted")
try:
    client.send(phones=["13800139002"], **request)
except ProblemError as error:
    print(error.code)
