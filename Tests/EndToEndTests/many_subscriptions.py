"""Lets a page of another origin in a headless Chromium watch eleven things over two connections, one by EventSource and ten by
one stream that fetch reads, while somebody writes; the page keeps making requests of its own.

many_subscriptions.py PROGRAM CHROMIUM FOLDER: fails where what the page shows at a version is not what reads at that version show.
"""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import urllib.request

import browser

PAGE = """<!doctype html><title>watch</title><script>
const gateway = "GATEWAY", token = "TOKEN"
const report = (line) => fetch("/report", {method: "POST", body: JSON.stringify(line)})
const headers = {"Authorization": `Bearer ${token}`, "Content-Type": "application/json"}
const bands = [...Array(9).keys()]

async function watchOne() {
  const url = "/v1/collections/Thing?filter=n>=0"
  const answer = await fetch(gateway + "/v1/tickets", {method: "POST", headers, body: JSON.stringify({url})})
  const {ticket} = await answer.json()
  const source = new EventSource(`${gateway}${url}&ticket=${ticket}`)
  for (const name of ["ready", "insert", "update", "delete"])
    source.addEventListener(name, event => report({name: "one", event: name, id: event.lastEventId}))
  source.onerror = () => report({name: "error", state: source.readyState})
}

async function watchAll() {
  const subscriptions = bands.map(band => ({name: `band ${band}`,
    url: `/v1/collections/Thing?mode=results&sort=_id&filter=n>=${band * 10} AND n<${band * 10 + 10}`}))
  subscriptions.push({name: "top", url: "/v1/collections/Thing?mode=results&sort=-n,_id&limit=3"})
  const state = {}
  const answer = await fetch(gateway + "/v1/streams", {method: "POST", headers, body: JSON.stringify(subscriptions)})
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  for (let text = "", piece; !(piece = await reader.read()).done;) {
    const frames = (text + piece.value).split("\\n\\n")
    text = frames.pop()
    for (const frame of frames) {
      const field = (name) => frame.match(new RegExp(`^${name}: (.*)$`, "m"))?.[1]
      const [event, data] = [field("event"), JSON.parse(field("data") ?? "{}")]
      const list = state[data.subscription]
      if (event === "version") report({name: "version", version: data.version, state: structuredClone(state)})
      else if (event === "initial") state[data.subscription] = data.objects
      else if (event === "update") {
        for (const index of [...data.deletions].reverse()) list.splice(index, 1)
        data.insertions.forEach((index, i) => list.splice(index, 0, data.inserted[i]))
        data.modificationsNew.forEach((index, i) => list[index] = data.modified[i])
      }
    }
  }
}
watchOne()
watchAll()
</script>"""
ADMIN = "an administrator's key"


class Server:
    def __init__(self, program, folder, port, origin):
        self.process = subprocess.Popen(
            [program, "serve", "--data", f"{folder}/data", "--listen", f"127.0.0.1:{port}", "--cors-origins", origin,
             "--access-log", f"{folder}/access.log"], stdout=subprocess.PIPE, text=True,
            env={**os.environ, "GATEHOUSE_ADMIN_KEY": ADMIN})
        said = ""
        while "Ctrl-C" not in said:
            line = self.process.stdout.readline()
            if not line:
                sys.exit(f"the server did not start: {said}")
            said += line
        self.url = re.search(r"http://127\.0\.0\.1:\d+", said).group(0)

    def ask(self, method, path, body=None):
        request = urllib.request.Request(
            f"{self.url}{path}", None if body is None else json.dumps(body).encode(),
            {"Content-Type": "application/json", "Authorization": f"Bearer {ADMIN}"}, method=method)
        with urllib.request.urlopen(request) as answer:
            text = answer.read()
            return answer.headers, json.loads(text) if text else None


def expected(values):
    """What the ten results show of {identifier: n}."""
    things = [{"_id": key, "n": n} for key, n in sorted(values.items())]
    state = {f"band {band}": [t for t in things if band * 10 <= t["n"] < band * 10 + 10] for band in range(9)}
    return {**state, "top": sorted(things, key=lambda thing: (-thing["n"], thing["_id"]))[:3]}


def write(server):
    """Writes, and returns what there is at each version, and how many events tell it."""
    values, states, events = {}, {}, 0
    for step in range(60):
        key, n = step * 7 % 11, step * 37 % 90
        headers, _ = server.ask("PUT", f"/v1/collections/Thing/{key}", {"n": n})
        events += values.get(key) != n
        values[key] = n
        states[int(headers["realm-version"])] = expected(values)
    return states, events


def main():
    program, chromium, folder = sys.argv[1:]
    with open(f"{folder}/schema.json", "w", encoding="utf-8") as file:
        json.dump(browser.SCHEMA, file)
    subprocess.run(
        [program, "schema", "apply", f"{folder}/schema.json", "--data", f"{folder}/data"], check=True,
        stderr=subprocess.DEVNULL)
    reports, port = browser.Reports(), browser.free_port()
    content = PAGE.replace("GATEWAY", f"http://127.0.0.1:{port}").replace("TOKEN", ADMIN)
    page = browser.page_server(reports, content)
    origin = f"http://127.0.0.1:{page.server_address[1]}"
    threading.Thread(target=page.serve_forever, daemon=True).start()
    server = Server(program, folder, port, origin)
    process = subprocess.Popen(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
         f"--user-data-dir={folder}/profile", origin + "/"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        reports.wait("ready", lambda lines: any(l.get("event") == "ready" for l in lines))
        reports.wait("a version", lambda lines: any(l["name"] == "version" for l in lines))
        states, events = write(server)
        last = max(states)
        reports.wait("the last version", lambda lines: any(l.get("version") == last for l in lines))
        reports.wait("all events", lambda lines: sum(l.get("event") in ("insert", "update") for l in lines) >= events)
        shown = [l for l in reports.lines if l["name"] == "version" and l["version"] in states]
        for line in shown:
            if line["state"] != states[line["version"]]:
                sys.exit(f"at version {line['version']} the page shows {line['state']}, not {states[line['version']]}")
        if any(l["name"] == "error" for l in reports.lines):
            sys.exit(f"the EventSource failed: {reports.lines}")
        with open(f"{folder}/access.log", encoding="utf-8") as file:
            if "ticket=" in file.read():
                sys.exit("the ticket is in the log")
        print(f"{len(shown)} versions of ten results, {events} events beside them: all right")
    finally:
        server.process.kill()
        server.process.wait()
        # Chromium is many processes, which are a group of their own.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


if __name__ == "__main__":
    main()
