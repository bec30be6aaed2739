"""Signs a request, sends one message and waits for its receipt. Python 3.8 or later, standard library only."""

import hashlib
import hmac
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid


def sign(secret: str, method: str, target: str, timestamp: str, body: bytes) -> str:
    string_to_sign = "\n".join([method, target, timestamp, hashlib.sha256(body).hexdigest()])
    return hmac.new(secret.encode(), string_to_sign.encode(), hashlib.sha256).hexdigest()


def setting(name: str) -> str:
    return os.environ.get(name) or sys.exit(f"{name} is not set")


def call(method: str, target: str, body: bytes = b"") -> dict:
    timestamp = str(int(time.time() * 1000))
    request = urllib.request.Request(
        os.environ.get("POSTRIDER_URL", "http://127.0.0.1:8080") + target,
        # The bytes that were signed are the bytes that are sent.
        data=body or None,
        method=method,
        headers={
            "Content-Type": "application/json",
            "X-API-Key": setting("POSTRIDER_API_KEY"),
            "X-Timestamp": timestamp,
            "X-Sign": sign(setting("POSTRIDER_API_SECRET"), method, target, timestamp, body),
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        sys.exit(error.read().decode())
    except urllib.error.URLError:
        sys.exit("the service cannot be reached")


def main(phone: str) -> None:
    request = {
        "template_no": setting("POSTRIDER_TEMPLATE_NO"),
        "phones": [phone],
        "variable_values": {"p1": "Ann"},
        # A new id for each run of this example. Your program keeps one for each business request
        # before it sends: sent again, it finds the task that is there.
        "client_request_id": f"python-{uuid.uuid4()}",
        "auto_freeze": True,
        "auto_submit": True,
    }
    task_no = call("POST", "/openapi/v1/messages/send/", json.dumps(request).encode())["task_no"]
    for _ in range(60):
        for receipt in call("GET", f"/openapi/v1/messages/receipts/?task_no={task_no}")["items"]:
            print(task_no, phone, receipt["result"], receipt["code"])
            return
        time.sleep(1)
    sys.exit(f"no receipt yet for {task_no}")


if sys.argv[1:] == ["--vectors"]:
    secret = "sk_test_0123456789abcdef"
    print(sign(secret, "GET", "/openapi/v1/messages/tasks/?page=1&page_size=20", "1794700800000", b""))
    vector_body = b'{"template_no":"T1","phones":["13800138000"]}'
    print(sign(secret, "POST", "/openapi/v1/messages/send/", "1794700800000", vector_body))
elif len(sys.argv) == 2:
    main(sys.argv[1])
else:
    print("Usage: python3 send.py PHONE | --vectors", file=sys.stderr)
    sys.exit(2)
