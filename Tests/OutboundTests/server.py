"""A server for the tests: prints its port, and answers by the path of the request until its standard input ends."""
import http.server
import json
import os
import ssl
import subprocess
import sys
import threading
import time

meetings = threading.Lock()
barriers = {}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def content(self):
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def reply(self, status, content, fields=()):
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def answer(self):
        name = self.path.split("?")[0]
        if name == "/echo":
            fields = [[key.lower(), value] for key, value in self.headers.items()]
            said = {"method": self.command, "path": self.path, "fields": fields, "content": self.content().decode("latin-1")}
            self.reply(200, json.dumps(said).encode(), [("X-Twice", "one"), ("x-twice", "two"), ("X-Empty", "")])
        elif name == "/length":
            self.reply(200, str(len(self.content())).encode())
        elif name.startswith("/status/"):
            self.content()
            self.reply(int(name[8:]), b"said", [("Location", "/echo")])
        elif name.startswith("/bytes/"):
            self.reply(200, b"x" * int(name[7:]))
        elif name == "/head":
            self.reply(200, b"", [(f"X-{number}", "x" * 1000) for number in range(70)])
        elif name == "/drip":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for piece in [b"one", b"two" * 1000, b"three"]:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                self.wfile.flush()
            if self.path.endswith("?stays"):
                time.sleep(60)
            self.wfile.write(b"0\r\n\r\n")
        elif name.startswith("/meet/"):
            # Answers when as many requests are there as it says.
            with meetings:
                barrier = barriers.setdefault(name, threading.Barrier(int(name[6:])))
            barrier.wait(60)
            self.reply(200, b"met")
        elif name == "/slow":
            time.sleep(60)
        elif name == "/cut":
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(b"half")
            self.close_connection = True
        elif name == "/nothing":
            self.close_connection = True
        elif name == "/close":
            # Says nothing of closing: the client finds out by the next request.
            self.reply(200, b"last")
            self.close_connection = True
        elif name == "/noise":
            self.wfile.write(b"\0\1\2 this is no HTTP\r\n\r\n")
            self.close_connection = True
        else:
            self.reply(404, b"")

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = answer


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.socket.listen(256)
    if len(sys.argv) > 1:
        folder = sys.argv[1]
        os.makedirs(folder, exist_ok=True)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
             "-addext", "subjectAltName=DNS:localhost", "-keyout", f"{folder}/key.pem", "-out", f"{folder}/certificate.pem"],
            check=True, stderr=subprocess.DEVNULL)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f"{folder}/certificate.pem", f"{folder}/key.pem")
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


main()
