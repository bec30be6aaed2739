"""Receives webhooks, and prints the outcome of each number. Standard library and this package."""

import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from postrider import WebhookVerificationError, verify_webhook
from postrider.models import ReceiptItems


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            message = verify_webhook(os.environ["WEBHOOK_SECRET"], dict(self.headers), body)
        except WebhookVerificationError as error:
            self.send_error(400, str(error))
            return
        if isinstance(message.data, ReceiptItems):
            for receipt in message.data.items:
                print(message.id, receipt.phone, receipt.result, receipt.charged, flush=True)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *parts: object) -> None:
        """Leave the log to the program that this becomes a part of."""


if __name__ == "__main__":
    server = HTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver)
    print("listening on", server.server_port, flush=True)
    server.serve_forever()
