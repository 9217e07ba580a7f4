"""Watches a server over HTTP while others write, leaves and comes back at random, and kills it now and then.

At the end each subscriber must have been told what the change log says, equal and in order: events after the
position where it began, each once, whatever happened to its connections. What the log says is found here, by a model
that knows nothing of the server's code: it replays the log and asks each filter of every object before and after.
"""

import http.client
import json
import random
import shutil
import socket
import sys
import tempfile
import threading
import time
import urllib.parse

from gateway import Gateway, make_store, options
from model import expected, replayed

SCHEMA = [
    {
        "name": "Item",
        "primaryKey": "_id",
        "properties": {
            "_id": "int",
            "group": "string",
            "n": {"type": "int", "indexed": True},
            "text": "string",
            "tags": "int[]",
            "names": "int{}",
            "owner": "Item",
        },
    },
    {"name": "Note", "properties": {"text": "string", "n": "int"}},
]
GROUPS = [f"g{i}" for i in range(6)]


class Server(Gateway):
    def __init__(self, program, data, port, log):
        super().__init__(
            program, data, "--event-loops", "2", "--events-queue-bytes", "200000", "--events-heartbeat-seconds", "1",
            port=port, log=log)


class Writer(threading.Thread):
    """Writes whatever comes to its mind; what became of it is in the log."""

    def __init__(self, number, count, seed, port, stop):
        super().__init__(daemon=True)
        self.number, self.count, self.port, self.stop = number, count, port, stop
        self.random = random.Random(seed)
        self.ids, self.next = [], number
        self.answered = 0

    def run(self):
        connection = None
        while not self.stop.is_set():
            try:
                if connection is None:
                    connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
                self.write(connection)
                self.answered += 1
                time.sleep(self.random.uniform(0, 0.02))
            except (OSError, http.client.HTTPException):
                connection = None
                time.sleep(0.02)

    def value(self):
        chance = self.random
        return {
            "group": chance.choice(GROUPS), "n": chance.randrange(100), "text": f"value {chance.randrange(40)}",
            "tags": [chance.randrange(5) for _ in range(chance.randrange(4))],
            "names": {chance.choice("abc"): chance.randrange(10) for _ in range(chance.randrange(3))},
            "owner": chance.choice(self.ids) if self.ids and chance.random() < 0.7 else None,
        }

    def create(self):
        self.next += self.count
        self.ids.append(self.next)
        return {"op": "create", "class": "Item", "value": {"_id": self.next, **self.value()}, "mode": "all"}

    def operation(self):
        chance = self.random
        kind = chance.random()
        if len(self.ids) < 20 or kind < 0.15:
            return self.create()
        identifier = chance.choice(self.ids)
        part = {"class": "Item", "id": identifier}
        if kind < 0.6:
            names = chance.sample(sorted(self.value()), chance.randint(1, 3))
            value = self.value()
            return {"op": "update", **part, "set": {name: value[name] for name in names}}
        if kind < 0.7:
            return {"op": "list.append", **part, "path": "tags", "values": [chance.randrange(5)]}
        if kind < 0.8:
            return {"op": "map.set", **part, "path": "names", "key": chance.choice("abc"), "value": chance.randrange(10)}
        if kind < 0.85:
            return {"op": "map.remove", **part, "path": "names", "key": chance.choice("abc")}
        if kind < 0.9:
            return {"op": "create", "class": "Note", "value": {"text": "x" * chance.randrange(300), "n": chance.randrange(100)}}
        self.ids.remove(identifier)
        return {"op": "delete", **part}

    def write(self, connection):
        count = 1 if self.random.random() < 0.5 else self.random.randint(2, 40)
        body = {"operations": [self.operation() for _ in range(count)]}
        connection.request(
            "POST", "/v1/transactions", json.dumps(body),
            {"Content-Type": "application/json", "Prefer": "return=minimal"})
        answer = connection.getresponse()
        answer.read()
        # Later writes may miss the objects of a write that was cut off.
        assert answer.status in (200, 201, 204, 404, 409, 422), answer.status


class Subscriber(threading.Thread):
    """An EventSource that loses its connection often, and reads slowly at times."""

    def __init__(self, number, watch, seed, port, done):
        super().__init__(daemon=True)
        self.number, self.watch, self.port, self.done = number, watch, port, done
        self.random = random.Random(seed)
        self.position = None  # the last event ID, as EventSource keeps it
        self.began = None  # where the first stream began
        self.events = []  # (id, event, data)
        self.connections = self.middle = self.parts = 0
        self.faults = []
        self.final = None  # the version up to which it has to come
        self.finished = False

    def run(self):
        while not self.finished and not self.done.is_set():
            try:
                self.stream()
            except OSError:
                time.sleep(self.random.uniform(0, 0.05))

    def stream(self):
        """One connection, up to its end or for a while."""
        patience = float("inf") if self.final is not None else self.random.choice([3, 20, 100, 1000])
        chosen = self.position
        query = dict(self.watch.query)
        head = ""
        if chosen is None:
            query["since"] = self.watch.since
        elif self.random.random() < 0.5:
            head = f"Last-Event-ID: {chosen}\r\n"
            query["since"] = "0"  # which is for the first connection only
        else:
            query["since"] = chosen
        target = f"/v1/collections{self.watch.path}?{urllib.parse.urlencode(query)}"
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection:
            connection.sendall(
                f"GET {target} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n{head}\r\n".encode())
            self.read(connection, patience)

    def read(self, connection, patience):
        stream = connection.makefile("rb")
        status = stream.readline()
        if not status.startswith(b"HTTP/1.1 200"):
            if status:
                self.faults.append((status, stream.read(600)))
                self.finished = True
            return
        if self.position:
            self.middle += self.position.count("-") > 0
            self.parts += self.position.count("-") > 1
        self.connections += 1
        chunked = False
        while (line := stream.readline()) not in (b"\r\n", b""):
            chunked = chunked or line.lower().startswith(b"transfer-encoding: chunked")
        fields, seen = {}, 0
        for line in lines(stream, chunked):
            if line:
                name, _, value = line.partition(": ")
                fields[name] = value
                continue
            if "id" in fields:
                self.position = fields["id"]
            if "data" in fields:
                seen += 1
                self.take(fields)
            fields = {}
            if self.final is not None and self.position and int(self.position.split("-")[0]) > self.final:
                self.finished = True
            if self.finished or seen >= patience:
                return
            if self.final is None and self.random.random() < 0.002:
                time.sleep(0.3)

    def take(self, fields):
        if "id" in fields:
            self.events.append((fields["id"], fields["event"], json.loads(fields["data"])))
        elif fields["event"] == "resync":
            self.faults.append("resync")


def lines(stream, chunked):
    """The lines of the content. One that has not wholly come is none."""
    if not chunked:
        while (line := stream.readline()).endswith(b"\n"):
            yield line[:-1].decode()
        return
    rest = b""
    while size := stream.readline():
        rest += stream.read(int(size, 16))
        stream.readline()
        *whole, rest = rest.split(b"\n")
        for line in whole:
            yield line.decode()


class Watch:
    """What a subscriber watches: a path, a query, and the same for the model."""

    def __init__(self, chance):
        self.since = "1"
        self.query = {}
        self.class_name, self.identifier, self.matches, self.path = "Item", None, None, "/Item"
        self.values, self.key_paths, self.depth, self.place = False, None, 0, None
        kind = chance.random()
        if kind > 0.92:
            self.identifier, self.place = chance.randrange(8, 160), chance.choice(["tags", "names"])
            self.path = f"/Item/{self.identifier}/{self.place}"
            return
        self.values = chance.random() < 0.3
        if self.values:
            self.query["values"] = "true"
        if kind < 0.08:
            self.class_name, self.path = None, ""
            return
        if kind < 0.14:
            self.class_name, self.path = "Note", "/Note"
            return
        if chance.random() < 0.4:
            self.query["fields"] = "n,group"
        if chance.random() < 0.6:
            self.key_paths = chance.choice(["", "n", "group,owner.n", "owner.owner.owner.owner.n", "owner", "text,tags"])
            self.query["keyPaths"] = self.key_paths
        if kind < 0.22:
            self.identifier = chance.randrange(8, 160)
            self.path = f"/Item/{self.identifier}"
        elif kind > 0.28:
            text, self.matches = chance.choice(FILTERS)(chance)
            self.depth = text.count("owner.")
            self.query["filter"] = text

    @property
    def shown(self):
        return self.query["fields"].split(",") if "fields" in self.query else None


def owner(value, world):
    """The owner, which may be gone."""
    return None if value is None or value["owner"] is None else world.get("Item", value["owner"])


# Each: a filter and what it means, for a random value.
FILTERS = [
    lambda r: (lambda g: (f"group == '{g}'", lambda o, w: o["group"] == g))(r.choice(GROUPS)),
    lambda r: (lambda g, n: (
        f"group == '{g}' AND n < {n}", lambda o, w: o["group"] == g and o["n"] < n))(r.choice(GROUPS), r.randrange(100)),
    lambda r: (lambda n: (f"n >= {n}", lambda o, w: o["n"] >= n))(r.randrange(100)),
    lambda r: (lambda n: (f"n == {n}", lambda o, w: o["n"] == n))(r.randrange(100)),
    lambda r: (lambda n: (f"n BETWEEN {{{n}, {n + 9}}}", lambda o, w: n <= o["n"] <= n + 9))(r.randrange(90)),
    lambda r: (lambda n: (f"NOT text BEGINSWITH 'value {n}'", lambda o, w: not o["text"].startswith(f"value {n}")))(r.randrange(4)),
    lambda r: (lambda n: (f"tags.@count > {n}", lambda o, w: len(o["tags"]) > n))(r.randrange(4)),
    lambda r: (lambda n: (f"ANY tags == {n}", lambda o, w: n in o["tags"]))(r.randrange(5)),
    lambda r: (lambda k, n: (
        f"names['{k}'] > {n}", lambda o, w: o["names"].get(k) is not None and o["names"][k] > n))(r.choice("abc"), r.randrange(8)),
    lambda r: (lambda n: (
        f"owner.n < {n}", lambda o, w: owner(o, w) is not None and owner(o, w)["n"] < n))(r.randrange(100)),
    lambda r: (lambda g, n: (
        f"owner.owner.group == '{g}' OR n == {n}",
        lambda o, w: o["n"] == n or (owner(owner(o, w), w) or {}).get("group") == g))(r.choice(GROUPS), r.randrange(100)),
    lambda r: (lambda g: (f"owner == null AND group == '{g}'", lambda o, w: o["owner"] is None and o["group"] == g))(r.choice(GROUPS)),
]


def order(text):
    """Positions in order: what links lead to comes before the change itself."""
    version, n, part = (text.split("-") + ["", ""])[:3]
    return int(version), int(n or 1 << 62), int(part or 1 << 62)


def compare(subscriber, wanted, log):
    """The first difference between what the subscriber saw and what it should have seen; None: there is none."""
    positions = [order(event[0]) for event in subscriber.events]
    if any(a >= b for a, b in zip(positions, positions[1:])):
        return "its events are out of order"
    if subscriber.watch.place:
        return replayed(log, SCHEMA, subscriber.watch, subscriber.events)
    for number, (seen, want) in enumerate(zip(subscriber.events, wanted)):
        if want != seen:
            return f"event {number} is {seen}, but the log says {want}"
    if len(wanted) != len(subscriber.events):
        return f"it has {len(subscriber.events)} events, but the log says {len(wanted)}"
    return None


def main():
    settings = options(kills=20, writers=8, subscribers=50)
    seed = settings.seed
    chance = random.Random(seed)
    folder = tempfile.mkdtemp(prefix="gatehouse-events-")
    data = make_store(settings.program, folder, SCHEMA)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    start = time.monotonic()
    log_file = open(f"{folder}/log", "w", encoding="utf-8")
    server = Server(settings.program, data, port, log_file)
    stop, done = threading.Event(), threading.Event()
    writers = [Writer(i, settings.writers, chance.random(), port, stop) for i in range(settings.writers)]
    subscribers = [
        Subscriber(i, Watch(chance), chance.random(), port, done) for i in range(settings.subscribers)]
    for subscriber in subscribers:
        # An object that is not there yet can be watched by whoever says where to begin.
        subscriber.start()
    for writer in writers:
        writer.start()
    for _ in range(settings.kills):
        time.sleep(chance.uniform(0.2, 1.2))
        server.kill()
        server = Server(settings.program, data, port, log_file)
    time.sleep(0.5)
    stop.set()
    for writer in writers:
        writer.join()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/v1/changes?since=1", headers={"Accept": "application/x-ndjson"})
    log = [json.loads(line) for line in connection.getresponse().read().decode().splitlines()]
    last = log[-1]["version"]
    for subscriber in subscribers:
        subscriber.final = last
    # A commit after the last one lets everybody know that they have seen it.
    connection.request(
        "POST", "/v1/collections/Note", '{"text":"the end","n":0}', {"Content-Type": "application/json"})
    connection.getresponse().read()
    for subscriber in subscribers:
        subscriber.join(60)
    done.set()
    faults = []
    wanted = expected(log, SCHEMA, [subscriber.watch for subscriber in subscribers])
    for subscriber, events in zip(subscribers, wanted):
        subscriber.events = [event for event in subscriber.events if int(event[0].split("-")[0]) <= last]
        fault = (subscriber.faults or [None])[0] or compare(subscriber, events, log)
        if fault is None and not subscriber.finished:
            fault = f"never came to the end, but to {subscriber.position}"
        if fault:
            faults.append(f"subscriber {subscriber.number}, {subscriber.watch.path} {subscriber.watch.query}: {fault}")
    server.kill()
    if faults:
        print("\n".join(faults), file=sys.stderr)
        print(f"seed {seed}: {len(faults)} subscribers were told wrong; the store is in {data}", file=sys.stderr)
        return 1
    print(
        f"{settings.kills} kills, {settings.writers} writers, {settings.subscribers} subscribers, seed {seed}: "
        f"{last} versions, {len(log)} changes, {sum(len(s.events) for s in subscribers)} events over "
        f"{sum(s.connections for s in subscribers)} connections, {sum(s.middle for s in subscribers)} of them "
        f"resumed within a transaction, {sum(s.parts for s in subscribers)} within a change, {time.monotonic() - start:.0f} s, no faults")
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
