"""An S3 server for tests: moto, behind a proxy that compares signatures by botocore and can fail.

Prints a line of JSON: the proxy's port, and the credentials. Then it obeys lines on standard input, and answers each with the keys of
the bucket: `fail N` closes the connections of all requests for objects after the next N; `work` ends that; `break KEY` changes a bit
of an object; `fill N` adds so many objects that are no backups; `keys` does nothing.
"""
import hashlib
import http.client
import http.server
import json
import logging
import re
import sys
import threading

import boto3
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from moto.server import ThreadedMotoServer

KEY, SECRET, REGION = "AKIAGATEHOUSE", "a/secret+of=tests", "eu-central-1"

logging.disable(logging.CRITICAL)
moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
moto.start()
_, behind = moto.get_host_and_port()
s3 = boto3.Session(KEY, SECRET, region_name=REGION).client("s3", endpoint_url=f"http://127.0.0.1:{behind}")
s3.create_bucket(Bucket="backups", CreateBucketConfiguration={"LocationConstraint": REGION})

lock = threading.Lock()
# The requests that are let through; None: all.
allowed = None


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def forward(self):
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if not self.passes():
            self.close_connection = True
        elif self.is_signed(content):
            self.answer(*self.ask(content))
        else:
            text = "<Error><Code>SignatureDoesNotMatch</Code><Message>Signed &amp; wrong</Message></Error>"
            self.answer(403, [], text.encode())

    def passes(self):
        global allowed
        if "list-type" in self.path:
            return True
        with lock:
            passes = allowed is None or allowed > 0
            if allowed:
                allowed -= 1
            return passes

    def is_signed(self, content):
        form = r"AWS4-HMAC-SHA256 Credential=([^/]+)/\d{8}/([^/]+)/s3/aws4_request,SignedHeaders=([^,]+),Signature=(\w+)"
        parts = re.fullmatch(form, self.headers.get("authorization", ""))
        if not parts or hashlib.sha256(content).hexdigest() != self.headers["x-amz-content-sha256"]:
            return False
        key, region, names, signature = parts.groups()
        if not {"host", "x-amz-content-sha256", "x-amz-date"} <= set(names.split(";")):
            return False
        request = AWSRequest(
            method=self.command, url=f"http://{self.headers['host']}{self.path}", data=content,
            headers={name: self.headers[name] for name in names.split(";")})
        request.context["timestamp"] = self.headers["x-amz-date"]
        auth = S3SigV4Auth(Credentials(KEY, SECRET), "s3", REGION)
        expected = auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request)
        return (key, region, signature) == (KEY, REGION, expected)

    def ask(self, content):
        server = http.client.HTTPConnection("127.0.0.1", behind)
        server.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            server.putheader(name, value)
        server.endheaders(content)
        answer = server.getresponse()
        text = answer.read()
        server.close()
        return answer.status, answer.getheaders(), text

    def answer(self, status, fields, text):
        self.send_response_only(status)
        for name, value in fields:
            if name.lower() not in ("content-length", "connection", "transfer-encoding"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_PUT = do_DELETE = forward

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


proxy = Server(("127.0.0.1", 0), Proxy)
threading.Thread(target=proxy.serve_forever, daemon=True).start()
print(json.dumps({"port": proxy.server_address[1], "key": KEY, "secret": SECRET, "region": REGION}), flush=True)

for line in sys.stdin:
    words = line.split()
    if words[0] == "fail":
        with lock:
            allowed = int(words[1])
    elif words[0] == "work":
        with lock:
            allowed = None
    elif words[0] == "break":
        content = bytearray(s3.get_object(Bucket="backups", Key=words[1])["Body"].read())
        content[len(content) // 2] ^= 1
        s3.put_object(Bucket="backups", Key=words[1], Body=bytes(content))
    elif words[0] == "fill":
        for number in range(int(words[1])):
            s3.put_object(Bucket="backups", Key=f"backups/{number}", Body=b"")
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket="backups", PaginationConfig={"PageSize": 1000})
    print(json.dumps([item["Key"] for page in pages for item in page.get("Contents", [])]), flush=True)
moto.stop()
