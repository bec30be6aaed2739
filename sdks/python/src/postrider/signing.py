"""The signature of requests; needed only where requests are made without this package."""

import hashlib
import hmac


def sign_request(api_secret: str, method: str, target: str, timestamp_ms: int, body: bytes) -> str:
    """Return `X-Sign`. `target` is the path with its query, as it stands on the request line."""
    body_hash = hashlib.sha256(body).hexdigest()
    string_to_sign = f"{method}\n{target}\n{timestamp_ms}\n{body_hash}"
    return hmac.new(api_secret.encode(), string_to_sign.encode(), hashlib.sha256).hexdigest()
