"""A collector of traces for tests: prints each span that it takes as a line of JSON.

Refuses the first requests with 503, as many as the argument says. What is not as OTLP/HTTP has it is refused with 400, and printed as
{"error": …}.
"""
import http.server
import json
import re
import sys

refusals = int(sys.argv[1])


def check(condition, text):
    if not condition:
        raise ValueError(text)


def spans(document):
    for resource in document["resourceSpans"]:
        attributes = {item["key"]: item["value"] for item in resource["resource"]["attributes"]}
        check(attributes["service.name"] == {"stringValue": "gatehouse"}, "service.name")
        check("stringValue" in attributes["service.version"], "service.version")
        for scope in resource["scopeSpans"]:
            check(scope["scope"]["name"] == "gatehouse", "scope")
            yield from scope["spans"]


def read(span):
    check(re.fullmatch("[0-9a-f]{32}", span["traceId"]) and int(span["traceId"], 16), "traceId")
    check(re.fullmatch("[0-9a-f]{16}", span["spanId"]) and int(span["spanId"], 16), "spanId")
    check(re.fullmatch("[0-9a-f]{16}", span.get("parentSpanId", "0" * 16)), "parentSpanId")
    check(span["kind"] in (1, 2), "kind")
    check(isinstance(span["startTimeUnixNano"], str) and isinstance(span["endTimeUnixNano"], str), "times")
    check(10 ** 18 < int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"]), "times")
    values = {}
    for item in span["attributes"]:
        (kind, value), = item["value"].items()
        check(kind in ("stringValue", "intValue") and isinstance(value, str), item["key"])
        values[item["key"]] = int(value) if kind == "intValue" else value
    return {
        "name": span["name"], "kind": span["kind"], "trace": span["traceId"], "span": span["spanId"],
        "parent": span.get("parentSpanId", ""), "attributes": values, "code": span["status"].get("code", 0),
    }


class Collector(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        global refusals
        content = self.rfile.read(int(self.headers["Content-Length"]))
        if refusals > 0:
            refusals -= 1
            return self.answer(503, {})
        try:
            check(self.path == "/v1/traces", self.path)
            check(self.headers["Content-Type"] == "application/json", "content-type")
            check(self.headers["x-key"] == "a=b", "x-key")
            for span in spans(json.loads(content)):
                print(json.dumps(read(span)), flush=True)
            self.answer(200, {})
        except (KeyError, ValueError) as error:
            print(json.dumps({"error": repr(error)}), flush=True)
            self.answer(400, {})

    def answer(self, status, document):
        text = json.dumps(document).encode()
        self.send_response_only(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
print(server.server_address[1], flush=True)
server.serve_forever()
