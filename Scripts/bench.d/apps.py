"""Makes apps, uses each, and prints what they cost. Called by Scripts/bench.d/apps with URL, process, apps and idle seconds."""

import http.client
import json
import os
import sys
import time
from urllib.parse import urlsplit

url, process, count, idle = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
client = http.client.HTTPConnection(urlsplit(url).netloc)
SCHEMA = [{"name": "Item", "primaryKey": "_id", "properties": {"_id": "int", "text": "string"}}]


def send(method, path, key, body=None):
    fields = {"Authorization": f"Bearer {key}"}
    content = None
    if body is not None:
        fields["Content-Type"] = "application/json"
        content = json.dumps(body)
    client.request(method, path, content, fields)
    answer = client.getresponse()
    content = answer.read()
    if answer.status >= 300:
        sys.exit(f"{method} {path}: {answer.status} {content.decode()}")
    return json.loads(content) if content else None


def memory():
    with open(f"/proc/{process}/status") as status:
        lines = dict(line.split(":", 1) for line in status)
    return int(lines["VmRSS"].split()[0]) // 1024


def milliseconds(times):
    times = sorted(times)
    return f"{times[len(times) // 2] * 1e3:.1f} ms, 99 in 100 below {times[len(times) * 99 // 100] * 1e3:.1f} ms"


administrator = os.environ["GATEHOUSE_ADMIN_KEY"]
send("GET", "/v1/collections", administrator)
print(f"without apps      {memory()} MiB")
start = time.monotonic()
keys = [send("POST", "/v1/apps", administrator, {"name": f"app-{number}"})["key"] for number in range(count)]
print(f"{count} made       {memory()} MiB, {(time.monotonic() - start) / count * 1e3:.1f} ms each")
first, second, most = [], [], 0
for number, key in enumerate(keys):
    path = f"/v1/apps/app-{number}"
    start = time.monotonic()
    send("GET", f"{path}/collections", key)
    first.append(time.monotonic() - start)
    send("PUT", f"{path}/schema", key, SCHEMA)
    send("POST", f"{path}/collections/Item", key, [{"_id": item, "text": "a"} for item in range(10)])
    start = time.monotonic()
    send("GET", f"{path}/collections/Item/5", key)
    second.append(time.monotonic() - start)
    most = max(most, memory())
print(f"each used once    {most} MiB at most")
print(f"first request     {milliseconds(first)}")
print(f"another           {milliseconds(second)}")
time.sleep(idle + 3)
opened = sum(app["open"] for app in send("GET", "/v1/apps", administrator))
print(f"{opened} of {count} open, idle   {memory()} MiB")
