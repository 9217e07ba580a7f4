"""Drives writers of two durabilities, has the machine crash, and checks after each restart what is left.

The crash takes from the files what was not synced, but for pages that the system happens to have written by then, drawn at random.
What must hold, whenever it came:
- of each writer's writes the first ones are there, in order, and none behind one that is lost;
- nothing is lost that was answered before somebody sent a write that was answered as durable, nor that write;
- nothing is lost that was answered more than the window before the crash;
- what a subscriber was told is in the change log, at the position where it was told, and so it is told after a restart;
- `gatehouse check` finds nothing.

At last the process alone is killed: then nothing is lost at all.
"""

import http.client
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from gateway import Gateway, make_store, options

SCHEMA = [{"name": "Item", "primaryKey": "_id", "properties": {"_id": "int", "writer": "int", "text": "string"}}]
FILES = ["gatehouse.db", "gatehouse.db-wal"]
PAGE = 4096


class Faults(Exception):
    pass


class Server(Gateway):
    def __init__(self, program, data, copy=None, library=None):
        environment = {"LD_PRELOAD": library, "DISK_COPY": copy} if library else None
        super().__init__(program, data, "--event-loops", "2", "--access-log", "off", environment=environment)

    def lines(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", path, headers={"Accept": "application/x-ndjson"})
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        assert answer.status == 200, (path, answer.status, body)
        return [json.loads(line) for line in body.splitlines()]


class Writer(threading.Thread):
    """Creates items with rising numbers, and remembers of each when it was sent and answered, and as what."""

    def __init__(self, number, first, settings, port, generator):
        super().__init__(daemon=True)
        self.number, self.port, self.settings = number, port, settings
        self.random = random.Random(generator.random())
        self.next = first
        self.answered = []  # (identifier, is durable, sent, answered)
        self.error = None

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            while True:
                self.write(connection)
        except (OSError, http.client.HTTPException):
            pass  # the crash
        except Exception as error:  # noqa: BLE001
            self.error = error

    def write(self, connection):
        is_durable = self.random.random() < self.settings.full / 100
        durability = "full" if is_durable else f"within-{self.settings.window}ms"
        body = json.dumps(
            {"_id": self.next, "writer": self.number, "text": "x" * self.random.randrange(2000)})
        sent = time.monotonic()
        connection.request("POST", "/v1/collections/Item", body, {
            "Content-Type": "application/json", "Prefer": f"return=minimal, durability={durability}"})
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status == 201, (answer.status, text)
        assert f"durability={durability}" in answer.headers["Preference-Applied"], answer.headers.as_string()
        self.answered.append((self.next, is_durable, sent, time.monotonic()))
        self.next += 1_000


class Subscriber(threading.Thread):
    """Takes what it is told, with its position."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port, self.told, self.ready = port, [], threading.Event()

    def run(self):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            connection.request("GET", "/v1/collections/Item", headers={"Accept": "text/event-stream"})
            fields = {}
            for line in connection.getresponse():
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name:
                    fields[name] = value
                    continue
                if fields.get("event") == "ready":
                    self.ready.set()
                if fields.get("event") == "insert":
                    self.told.append((fields["id"], json.loads(fields["data"])))
                fields = {}
        except (OSError, http.client.HTTPException):
            pass  # the crash


def lose_power(data, copy, generator):
    """Makes of the files what a disk would have; of pages that were not synced it has some."""
    share = generator.choice([0, 0, 0.5, 0.9])
    for name in FILES:
        with open(f"{data}/{name}", "rb") as file:
            now = file.read()
        with open(f"{copy}/{name}", "rb") as file:
            disk = bytearray(file.read())
        for start in range(0, len(now), PAGE):
            page = now[start:start + PAGE]
            if disk[start:start + PAGE] != page and generator.random() < share:
                disk += bytes(max(0, start - len(disk)))
                disk[start:start + PAGE] = page
        with open(f"{data}/{name}", "wb") as file:
            file.write(disk)
    if os.path.exists(f"{data}/gatehouse.db-shm"):
        os.remove(f"{data}/gatehouse.db-shm")


def copy_files(data, copy):
    for name in FILES:
        if os.path.exists(f"{data}/{name}"):
            shutil.copy(f"{data}/{name}", f"{copy}/{name}")
        else:
            open(f"{copy}/{name}", "wb").close()


def verify(writers, found, crash, window):
    """Returns how many answered writes are lost."""
    durable_from = max((sent for w in writers for _, is_durable, sent, _ in w.answered if is_durable), default=0)
    lost = 0
    for writer in writers:
        mine = sorted(identifier for identifier in found if identifier % 1_000 == writer.number)
        if mine != list(range(writer.number, writer.number + 1_000 * len(mine), 1_000)):
            raise Faults(f"writer {writer.number}: a write is there behind one that is lost")
        last = mine[-1] if mine else -1
        for identifier, is_durable, _, answered in writer.answered:
            if identifier <= last:
                continue
            lost += 1
            if is_durable:
                raise Faults(f"item {identifier}, which was answered as durable, is lost")
            if answered < durable_from:
                raise Faults(f"item {identifier} is lost, and a later write was durable")
            if answered < crash - window:
                raise Faults(f"item {identifier} is lost, {crash - answered:.3f} s after its answer")
        writer.next = last + 1_000 if mine else writer.number
    return lost


def verify_told(told, changes):
    log = {f"{change['version']}-{change['n']}": change for change in changes}
    for position, event in told:
        change = log.get(position) or log.get(position.split("-")[0])
        if not change or change["id"] != event.get("id", event.get("object", {}).get("_id")):
            raise Faults(f"a subscriber was told {position}: {event}, where the log has {change}")


def run_round(settings, data, copy, generator, nexts, powerless):
    copy_files(data, copy)
    server = Server(settings.program, data, copy, settings.library)
    subscriber = Subscriber(server.port)
    subscriber.start()
    subscriber.ready.wait(30)
    writers = [Writer(i, first, settings, server.port, generator) for i, first in enumerate(nexts)]
    for writer in writers:
        writer.start()
    time.sleep(generator.uniform(0.05, 1.0))
    crash = time.monotonic()
    server.kill()
    for thread in [*writers, subscriber]:
        thread.join()
    if powerless:
        lose_power(data, copy, generator)
    for writer in writers:
        if writer.error:
            raise Faults(f"writer {writer.number}: {writer.error!r}")
    check = subprocess.run([settings.program, "check", "--data", data], capture_output=True, text=True)
    if check.returncode != 0:
        raise Faults(f"check: {check.stdout}{check.stderr}")
    server = Server(settings.program, data)
    lost = verify(writers, [v["_id"] for v in server.lines("/v1/collections/Item")], crash, settings.window / 1000)
    verify_told(subscriber.told, server.lines("/v1/changes?since=1"))
    server.kill()
    if lost and not powerless:
        raise Faults(f"{lost} answered writes are lost though only the process was killed")
    return [writer.next for writer in writers], sum(len(w.answered) for w in writers), lost, len(subscriber.told)


def main():
    settings = options(["library"], rounds=30, writers=6, window=300, full=10)
    generator = random.Random(settings.seed)
    folder = tempfile.mkdtemp(prefix="gatehouse-crash-")
    data, copy = make_store(settings.program, folder, SCHEMA), f"{folder}/disk"
    os.mkdir(copy)
    nexts, answered, lost, told = list(range(settings.writers)), 0, 0, 0
    try:
        for number in range(1, settings.rounds + 2):
            nexts, *counts = run_round(settings, data, copy, generator, nexts, number <= settings.rounds)
            answered, lost, told = answered + counts[0], lost + counts[1], told + counts[2]
            if number % 10 == 0:
                print(f"{number} crashes", file=sys.stderr)
        print(
            f"{settings.rounds} crashes of the machine, {settings.writers} writers, seed {settings.seed}: {answered} writes answered, "
            f"{lost} lost within {settings.window} ms, {told} events told, no faults")
    except Faults as fault:
        print(f"round {number}, seed {settings.seed}: {fault}; the store is in {data}", file=sys.stderr)
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
