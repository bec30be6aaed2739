"""Signs a request, sends it and returns the answer. Python 3.8 or later. Paths of the operator take the token."""

import hashlib
import hmac
import json
import os
import time
import urllib.error
import urllib.request


def sign(method, target, body):
    timestamp = str(int(time.time() * 1000))
    text = "\n".join([method, target, timestamp, hashlib.sha256(body).hexdigest()])
    secret = os.environ["POSTRIDER_API_SECRET"].encode()
    signature = hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()
    return {"X-API-Key": os.environ["POSTRIDER_API_KEY"], "X-Timestamp": timestamp, "X-Sign": signature}


def call(method, target, content=None):
    body = b"" if content is None else json.dumps(content).encode()
    if target.startswith("/operator/"):
        headers = {"Authorization": "Bearer " + os.environ["POSTRIDER_OPERATOR_TOKEN"]}
    else:
        headers = sign(method, target, body)
    headers["Content-Type"] = "application/json"
    url = os.environ["POSTRIDER_URL"] + target
    request = urllib.request.Request(url, data=body or None, method=method, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        raise SystemExit(error.read().decode())
