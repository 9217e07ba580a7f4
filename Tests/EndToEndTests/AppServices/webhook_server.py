"""Takes webhooks and writes one line for each to its log: path, signature field, content. Every first one is refused, unless the first
argument is `take`."""
import http.server
import sys

refused = set()


class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        content = self.rfile.read(int(self.headers["Content-Length"])).decode()
        event = self.headers["Trigger-Event"]
        is_first = event not in refused and sys.argv[1:] != ["take"]
        refused.add(event)
        # Before the answer: the next one may be sent then.
        if not is_first:
            print(self.path, self.headers["Endpoint-Signature"], content, file=sys.stderr, flush=True)
        self.send_response(503 if is_first else 204)
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook)
print(server.server_port, flush=True)
server.serve_forever()
