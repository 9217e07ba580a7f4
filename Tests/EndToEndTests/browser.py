"""Lets a headless Chromium watch a class with EventSource and nothing but its URL, and kills the server meanwhile.

browser.py PROGRAM CHROMIUM FOLDER: prints what the page was told, and fails where that is not what the change log has.
"""

import http.server
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.request

PAGE = """<!doctype html><title>watch</title><script>
const report = (line) => fetch("/report", {method: "POST", body: JSON.stringify(line)})
const source = new EventSource("URL")
for (const name of ["ready", "insert", "update", "delete", "resync"])
  source.addEventListener(name, event => report({name, id: event.lastEventId, data: JSON.parse(event.data)}))
source.onerror = () => report({name: "error", state: source.readyState})
</script>"""
SCHEMA = [{"name": "Thing", "primaryKey": "_id", "properties": {"_id": "int", "n": "int"}}]


class Reports:
    """What the page says, in order; a browser sends requests at once, which may overtake each other."""

    def __init__(self):
        self.lines, self.changed = [], threading.Condition()

    def add(self, line):
        with self.changed:
            self.lines.append(line)
            self.changed.notify_all()

    def wait(self, what, is_enough):
        with self.changed:
            if not self.changed.wait_for(lambda: is_enough(self.lines), 60):
                sys.exit(f"the page never said {what}: {self.lines}")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def page_server(reports, content):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.answer(content.encode() if self.path == "/" else b"")

        def do_POST(self):
            reports.add(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.answer(b"")

        def answer(self, body):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    return http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)


class Server:
    def __init__(self, program, folder, port, origin):
        self.process = subprocess.Popen(
            [program, "serve", "--data", f"{folder}/data", "--listen", f"127.0.0.1:{port}", "--cors-origins", origin,
             "--access-log", "off"], stdout=subprocess.PIPE, text=True)
        said = ""
        while "Ctrl-C" not in said:
            line = self.process.stdout.readline()
            if not line:
                sys.exit(f"the server did not start: {said}")
            said += line
        self.url = re.search(r"http://127\.0\.0\.1:\d+", said).group(0)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def write(self, identifier, n):
        body = json.dumps({"_id": identifier, "n": n}).encode()
        urllib.request.urlopen(urllib.request.Request(
            f"{self.url}/v1/collections/Thing/{identifier}", body, {"Content-Type": "application/json"},
            method="PUT")).read()

    def log(self):
        request = urllib.request.Request(
            f"{self.url}/v1/changes?since=1", headers={"Accept": "application/x-ndjson"})
        return [json.loads(line) for line in urllib.request.urlopen(request)]


def main():
    program, chromium, folder = sys.argv[1:]
    with open(f"{folder}/schema.json", "w", encoding="utf-8") as file:
        json.dump(SCHEMA, file)
    subprocess.run(
        [program, "schema", "apply", f"{folder}/schema.json", "--data", f"{folder}/data"], check=True,
        stderr=subprocess.DEVNULL)
    reports, port = Reports(), free_port()
    page = page_server(reports, PAGE.replace("URL", f"http://127.0.0.1:{port}/v1/collections/Thing?filter=n>0"))
    origin = f"http://127.0.0.1:{page.server_address[1]}"
    threading.Thread(target=page.serve_forever, daemon=True).start()
    server = Server(program, folder, port, origin)
    browser = subprocess.Popen(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
         f"--user-data-dir={folder}/profile", origin + "/"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        def heard(name, count=1):
            reports.wait(f"{count} times {name}", lambda lines: sum(l["name"] == name for l in lines) >= count)

        heard("ready")
        for n in range(3):
            server.write(n, n)
        heard("insert", 2)
        for attempt in (1, 2):
            server.kill()
            # The browser would miss writes that are made before it is back.
            server = Server(program, folder, port, origin)
            for n in range(4):
                server.write(n, n + attempt)
            heard("ready", attempt + 1)
        server.write(0, 9)
        log = server.log()
        last = f"{log[-1]['version']}-{log[-1]['n']}"
        reports.wait(last, lambda lines: any(l.get("id") == last and l["name"] != "ready" for l in lines))
        key = lambda text: [int(part) for part in text.split("-")]
        told = sorted(
            ((l["id"], l["name"], l["data"]["id"]) for l in reports.lines if l["name"] in ("insert", "update", "delete")),
            key=lambda line: key(line[0]))
        values, expected = {}, []
        for change in log:
            before = values.get(change["id"], 0)
            values[change["id"]] = after = change["after"]["n"] if "n" in change["after"] else before
            if before > 0 or after > 0:
                name = "update" if before > 0 and after > 0 else "insert" if after > 0 else "delete"
                expected.append((f"{change['version']}-{change['n']}", name, change["id"]))
        if told != expected or any(l["name"] == "resync" for l in reports.lines):
            sys.exit(f"the page was told {told}, but the log says {expected}")
        print(f"{len(told)} events over 3 connections, none lost, none twice")
    finally:
        server.kill()
        # Chromium is many processes, which are a group of their own.
        os.killpg(browser.pid, signal.SIGKILL)
        browser.wait()


if __name__ == "__main__":
    main()
