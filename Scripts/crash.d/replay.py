"""Keeps lists up to date by what streams of results, lists and maps tell, and compares them with fresh reads."""

import json
import random
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

from gateway import Gateway, make_store, options

SCHEMA = [
    {"name": "Country", "primaryKey": "code", "properties": {"code": "string", "name": "string", "size": "int"}},
    {
        "name": "City",
        "primaryKey": "_id",
        "properties": {
            "_id": "int",
            "name": {"type": "string", "indexed": True},
            "size": "int",
            "country": "Country",
            "tags": "int[]",
            "near": "City[]",
            "names": "int{}",
        },
    },
]

# A subject to watch: a path, and a query that GET understands too.
WATCHED = [
    ("/v1/collections/City", {"sort": "-size,name", "limit": "25", "mode": "results"}),
    ("/v1/collections/City", {
        "filter": "size > 30 AND country.size < 8", "sort": "country.name,name", "sectionBy": "country.name",
        "limit": "40", "mode": "results"}),
    # Objects of one section do not follow each other in the order.
    ("/v1/collections/City", {
        "sort": "name,_id", "sectionBy": "country.name", "limit": "12", "fields": "name", "mode": "results"}),
    ("/v1/collections/City", {
        "filter": "ANY tags > 2 AND near.@count < 4", "limit": "15", "fields": "name,country.name", "mode": "results"}),
    ("/v1/collections/City/0/tags", {}),
    ("/v1/collections/City/0/near", {"fields": "_id,name"}),
    ("/v1/collections/City/0/names", {}),
]


class Connection:
    """HTTP/1.1 with answers that say how long they are."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rest = b""

    def send(self, method, target, body=None):
        text = "" if body is None else json.dumps(body)
        self.socket.sendall((
            f"{method} {target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Prefer: return=minimal\r\nContent-Length: {len(text.encode())}\r\n\r\n{text}").encode())
        while b"\r\n\r\n" not in self.rest:
            self.rest += self.receive()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        size = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
        size = int(size.group(1)) if size else 0
        while len(self.rest) < size:
            self.rest += self.receive()
        content, self.rest = self.rest[:size], self.rest[size:]
        return int(head[9:12]), content

    def receive(self):
        piece = self.socket.recv(1 << 16)
        assert piece, "the server has closed the connection"
        return piece


class Replica:
    """What a client makes of a stream."""

    def __init__(self, port, path, query):
        self.path, self.query = path, query
        self.value, self.updates, self.rest = None, 0, b""
        self.socket = socket.create_connection(("127.0.0.1", port))
        target = f"{path}?{urllib.parse.urlencode(query)}"
        self.socket.sendall(
            f"GET {target} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n".encode())
        self.socket.setblocking(False)

    @property
    def fresh_target(self):
        if "near" in self.path:
            return self.path  # GET has no fields here
        query = {name: value for name, value in self.query.items() if name != "mode"}
        return f"{self.path}?{urllib.parse.urlencode(query)}"

    def read(self, timeout):
        """Applies what has come; false: nothing has."""
        if not select.select([self.socket], [], [], timeout)[0]:
            return False
        piece = self.socket.recv(1 << 18)
        assert piece, ("the stream has ended", self.path, self.rest)
        self.rest += piece
        *frames, self.rest = self.rest.split(b"\n\n")
        for frame in frames:
            fields = dict(line.split(": ", 1) for line in frame.decode().split("\n") if ": " in line)
            if "data" in fields and fields.get("event") not in ("ready", "heartbeat"):
                self.apply(fields["event"], json.loads(fields["data"]))
        return True

    def apply(self, event, data):
        assert event in ("initial", "insert", "update", "delete"), (event, data)
        self.updates += event == "update"
        if event == "delete":
            self.value = None
        elif "objects" in data or "sections" in data:
            self.value = data.get("objects", data.get("sections"))
        elif "value" in data:
            self.value = data["value"]
        elif "values" in data:
            for key in data["deletions"]:
                del self.value[key]
            for key in data["insertions"]:
                assert key not in self.value
            self.value.update(data["values"])
        elif "sectionsToDelete" in data:
            self.apply_sections(data)
        else:
            for index in reversed(data["deletions"]):
                del self.value[index]
            for index, element in zip(data["insertions"], data["inserted"]):
                self.value.insert(index, element)
            for index, element in zip(data["modificationsNew"], data["modified"]):
                self.value[index] = element

    def apply_sections(self, data):
        for section, row in reversed(data["deletions"]):
            del self.value[section]["objects"][row]
        for section in reversed(data["sectionsToDelete"]):
            del self.value[section]
        for section, key in zip(data["sectionsToInsert"], data["keys"]):
            self.value.insert(section, {"key": key, "objects": []})
        for (section, row), element in zip(data["insertions"], data["inserted"]):
            self.value[section]["objects"].insert(row, element)
        for (section, row), element in zip(data["modifications"], data["modified"]):
            self.value[section]["objects"][row] = element

    def shown(self, fresh):
        """The fresh read in the form of the replica."""
        if isinstance(fresh, list) and fresh and isinstance(fresh[0], dict) and "count" in fresh[0]:
            return [{"key": section["key"], "objects": section["objects"]} for section in fresh]
        return fresh

    def compared(self):
        if "near" in self.path and self.value is not None:
            return [element["_id"] for element in self.value]
        return self.value


def change(chance, connection):
    city, code = chance.randrange(60), chance.choice("ABCD")
    target = f"/v1/collections/City/{city}"
    kind = chance.randrange(20)
    name, size = f"{chance.choice('klmnop')}{chance.randrange(30)}", chance.randrange(100)
    if kind < 6:
        body = {"name": name, "size": size, "country": code, "tags": [chance.randrange(5) for _ in range(3)]}
        status, answer = connection.send("PUT", target, body)
    elif kind < 10:
        status, answer = connection.send("PATCH", target, {"size": size})
    elif kind < 12:
        status, answer = connection.send("DELETE", target) if city else (204, b"")
    elif kind < 14:
        status, answer = connection.send(
            "PUT", f"/v1/collections/Country/{code}", {"name": chance.choice("xyz"), "size": chance.randrange(12)})
    elif kind < 16:
        status, answer = connection.send(
            "PUT", f"/v1/collections/City/0/names/{chance.choice('abcdef')}", size)
    elif kind == 16:
        status, answer = connection.send("DELETE", f"/v1/collections/City/0/names/{chance.choice('abcdef')}")
    else:
        path, value = chance.choice([("tags", chance.randrange(5)), ("near", city)])
        operation = chance.choice([
            {"op": "list.insert", "path": path, "index": 0, "values": [value]},
            {"op": "list.append", "path": path, "values": [value, value]},
            {"op": "list.remove", "path": path, "index": chance.randrange(3)},
            {"op": "list.set", "path": path, "index": chance.randrange(3), "value": value},
            {"op": "list.move", "path": path, "from": chance.randrange(3), "to": chance.randrange(3)},
            {"op": "list.remove", "path": path, "index": 2, "count": 9},
        ])
        status, answer = connection.send(
            "POST", "/v1/transactions", {"operations": [{**operation, "class": "City", "id": 0}]})
    assert status < 500, (status, answer)


def main():
    settings = options(writes=100_000)
    seed = settings.seed
    chance = random.Random(seed)
    folder = tempfile.mkdtemp(prefix="gatehouse-replay-")
    data = make_store(settings.program, folder, SCHEMA)
    server = Gateway(
        settings.program, data, "--access-log", "off", "--log-megabytes", "100", log=subprocess.DEVNULL)
    try:
        port = server.port
        connection = Connection(port)
        for code in "ABCD":
            connection.send("PUT", f"/v1/collections/Country/{code}", {"name": code, "size": 3})
        connection.send("PUT", "/v1/collections/City/0", {"name": "zero", "size": 0})
        replicas = [Replica(port, path, query) for path, query in WATCHED]
        start = time.monotonic()
        for step in range(settings.writes):
            change(chance, connection)
            for replica in replicas:
                status, content = connection.send("GET", replica.fresh_target)
                fresh = replica.shown(json.loads(content)) if status == 200 else None
                patience = time.monotonic() + 20
                while replica.compared() != fresh:
                    if not replica.read(1) and time.monotonic() > patience:
                        print(
                            f"write {step}, seed {seed}: {replica.path} {replica.query} has {replica.compared()}, "
                            f"but there is {fresh}", file=sys.stderr)
                        return 1
                # The indices of modified objects do not change: apply them now.
                replica.read(0)
            if (step + 1) % 20_000 == 0:
                print(f"{step + 1} writes", file=sys.stderr)
        print(
            f"{settings.writes} writes, seed {seed}: {sum(r.updates for r in replicas)} updates of {len(replicas)} "
            f"streams applied, each equal to a fresh read after every write, {time.monotonic() - start:.0f} s, "
            "no faults")
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
