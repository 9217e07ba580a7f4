"""Drives writers over HTTP, kills the server, and checks after each restart what it holds.

What must hold, whenever the kill came:
- every write that was answered is there, as answered;
- of a write that was not answered, all is there or nothing;
- versions and object keys never go back;
- the change log has every version, in order;
- `gatehouse check` finds nothing.
"""

import http.client
import json
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from gateway import Gateway, make_store, options

SCHEMA = [
    {
        "name": "Item",
        "primaryKey": "_id",
        "properties": {
            "_id": "int",
            "n": {"type": "int", "indexed": True},
            "text": "string",
            "parts": "int[]",
            "inner": "Inner",
            "previous": "Item",
        },
    },
    {"name": "Inner", "embedded": True, "properties": {"n": "int"}},
    {"name": "Note", "properties": {"text": "string"}},
]


class Server(Gateway):
    def __init__(self, program, data):
        super().__init__(program, data, "--event-loops", "2")

    def get(self, path, accept="application/x-ndjson"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", path, headers={"Accept": accept})
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        assert answer.status == 200, (path, answer.status, body)
        return [json.loads(line) for line in body.splitlines()]


def item(identifier, n, previous=None):
    """All values follow from n, so that half of a write shows."""
    return {
        "_id": identifier,
        "n": n,
        "text": f"value {n} " + "x" * (n % 400),
        "parts": [n + i for i in range(n % 5)],
        "inner": {"n": n},
        "previous": previous,
    }


class Writer(threading.Thread):
    """Owns the items whose number modulo the number of writers is its own, and knows what they must be."""

    def __init__(self, number, count, generator):
        super().__init__(daemon=True)
        self.number, self.count = number, count
        self.random = random.Random(generator.random())
        self.next = number
        self.items = {}  # what was answered
        self.pending = None  # {id: value or None} of the write in flight
        self.notes = 0  # notes answered
        self.largest_key = -1
        self.version = 0
        self.acknowledged = 0
        self.pending_note = False
        self.error = None

    def start_round(self, port):
        super().__init__(daemon=True)
        self.port = port
        self.start()

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            while True:
                self.write(connection)
        except (OSError, http.client.HTTPException):
            pass  # the kill
        except Exception as error:  # noqa: BLE001
            self.error = error

    def write(self, connection):
        kind = self.random.random()
        known = list(self.items)
        if kind < 0.1:
            return self.note(connection)
        if kind < 0.35 or not known:
            new = [self.fresh() for _ in range(1)]
        elif kind < 0.55:
            new = [self.fresh() for _ in range(self.random.randint(2, 40))]
        elif kind < 0.85:
            return self.replace(connection, self.random.choice(known))
        else:
            return self.delete(connection, self.random.choice(known))
        previous = self.random.choice(known) if known else None
        values = [item(i, self.random.randrange(1 << 30), previous) for i in new]
        body = values[0] if len(values) == 1 else values
        self.pending = {value["_id"]: value for value in values}
        self.send(connection, "POST", "/v1/collections/Item", body, 201)

    def fresh(self):
        self.next += self.count
        return self.next

    def replace(self, connection, identifier):
        value = item(identifier, self.random.randrange(1 << 30), self.items[identifier]["previous"])
        self.pending = {identifier: value}
        self.send(connection, "PUT", f"/v1/collections/Item/{identifier}", value, 200)

    def delete(self, connection, identifier):
        self.pending = {identifier: None}
        # Links to it become null with it.
        for other, value in self.items.items():
            if value["previous"] == identifier and other != identifier:
                self.pending[other] = {**value, "previous": None}
        self.send(connection, "DELETE", f"/v1/collections/Item/{identifier}", None, 204)

    def note(self, connection):
        self.pending_note = True
        self.pending = {}
        answer = self.send(connection, "POST", "/v1/collections/Note", {"text": "x" * 100}, 201)
        self.pending_note = False
        self.notes += 1
        key = int(answer.headers["Location"].rsplit("/", 1)[1])
        assert key > self.largest_key, ("an object key came again", key, self.largest_key)
        self.largest_key = key

    def send(self, connection, method, path, body, status):
        headers = {"Content-Type": "application/json", "Prefer": "return=minimal"}
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status in (status, 204, 201), (method, path, answer.status, text)
        version = int(answer.headers["Realm-Version"])
        assert version > self.version, ("a version went back", version, self.version)
        self.version = version
        self.settle(self.pending)
        self.acknowledged += 1
        self.pending = None
        return answer

    def settle(self, outcome):
        for identifier, value in outcome.items():
            if value is None:
                self.items.pop(identifier, None)
            else:
                self.items[identifier] = value


class Faults(Exception):
    pass


def verify_items(writers, found):
    found = {value["_id"]: value for value in found}
    for writer in writers:
        mine = {i: v for i, v in found.items() if i % writer.count == writer.number}
        after = dict(writer.items)
        for identifier, value in (writer.pending or {}).items():
            if value is None:
                after.pop(identifier, None)
            else:
                after[identifier] = value
        if mine == writer.items:
            pass
        elif writer.pending and mine == after:
            writer.settle(writer.pending)
            writer.kept += 1
        else:
            wrong = {i for i in set(mine) | set(writer.items) if mine.get(i) != writer.items.get(i)}
            raise Faults(f"writer {writer.number}: {len(wrong)} items differ, such as {sorted(wrong)[:3]}")
        writer.pending = None


def verify_notes(writers, found):
    answered = sum(writer.notes for writer in writers)
    open_ones = sum(writer.pending_note for writer in writers)
    if not answered <= len(found) <= answered + open_ones:
        raise Faults(f"{len(found)} notes, {answered} answered, {open_ones} in flight")
    keys = [value["_key"] for value in found]
    if len(set(keys)) != len(keys):
        raise Faults("an object key is there twice")
    largest = max(keys, default=-1)
    writers[0].notes += len(found) - answered
    for writer in writers:
        writer.pending_note = False
        if writer.largest_key > largest:
            raise Faults("an answered note is gone")
        writer.largest_key = largest


def verify_log(changes, since, writers):
    last = (since, None)
    for change in changes:
        here = (change["version"], change["n"])
        follows = here == (last[0], (last[1] if last[1] is not None else -2) + 1) or here == (last[0] + 1, 0)
        if not follows:
            raise Faults(f"change {here} comes after {last}")
        last = here
    largest = max(writer.version for writer in writers)
    if last[0] < largest:
        raise Faults(f"the log ends with version {last[0]}, but {largest} was answered")
    for writer in writers:
        writer.version = last[0]
    return last[0]


def main():
    settings = options(rounds=100, writers=8)
    seed = settings.seed
    generator = random.Random(seed)
    folder = tempfile.mkdtemp(prefix="gatehouse-crash-")
    data = make_store(settings.program, folder, SCHEMA)
    try:
        writers = [Writer(number, settings.writers, generator) for number in range(settings.writers)]
        for writer in writers:
            writer.kept = 0
        version, in_flight, start = 1, 0, time.monotonic()
        for number in range(1, settings.rounds + 1):
            server = Server(settings.program, data)
            for writer in writers:
                writer.start_round(server.port)
            time.sleep(generator.uniform(0.02, 0.6))
            server.kill()
            for writer in writers:
                writer.join()
                if writer.error:
                    raise Faults(f"writer {writer.number}: {writer.error!r}")
            in_flight += sum(writer.pending is not None for writer in writers)
            check = subprocess.run([settings.program, "check", "--data", data], capture_output=True, text=True)
            if check.returncode != 0:
                raise Faults(f"check: {check.stdout}{check.stderr}")
            server = Server(settings.program, data)
            verify_items(writers, server.get("/v1/collections/Item"))
            verify_notes(writers, server.get("/v1/collections/Note"))
            version = verify_log(server.get(f"/v1/changes?since={version}"), version, writers)
            # A server that has just recovered is killed as well.
            server.kill()
            if number % 10 == 0:
                print(f"{number} kills, version {version}", file=sys.stderr)
        print(
            f"{settings.rounds} kills under load ({2 * settings.rounds} in all), {settings.writers} writers, seed {seed}: "
            f"{sum(w.acknowledged for w in writers)} writes answered, {in_flight} in flight, "
            f"{sum(w.kept for w in writers)} of them kept, version {version}, "
            f"{time.monotonic() - start:.0f} s, no faults")
    except Faults as fault:
        print(f"round {number}, seed {seed}: {fault}; the store is in {data}", file=sys.stderr)
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
