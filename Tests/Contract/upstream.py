#!/usr/bin/env python3
"""Answers every request with 200 and prints its port: where the reveal route leads that the contract's gateway has."""
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Upstream(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def respond(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b'{"result": "taken"}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = respond

    def log_message(self, *_):
        """Says nothing."""


server = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
print(server.server_port, flush=True)
server.serve_forever()
