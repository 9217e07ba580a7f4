"""Makes the disk fail under a running server.

What must hold: a write that fails is answered with a problem and leaves nothing, reads go on, /readyz says no, and
when the disk works again, so does the server, without having lost anything that it answered.
"""

import argparse
import contextlib
import functools
import http.client
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from gateway import Gateway, make_store

# The MB of the small disks, of which the reserve has an eighth.
DISK = 40
SCHEMA = [{"name": "Item", "primaryKey": "_id", "properties": {"_id": "int", "text": "string"}}]


class Server(Gateway):
    def __init__(self, program, data, environment):
        super().__init__(program, data, "--event-loops", "1", environment=environment)

    def send(self, method, path, body=None, durability="full"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request(
            method, path, json.dumps(body) if body is not None else None,
            {"Content-Type": "application/json", "Prefer": f"durability={durability}"})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, json.loads(text) if text[:1] in "[{" and text else text

    def create(self, identifier, size=100, durability="full"):
        return self.send("POST", "/v1/collections/Item", {"_id": identifier, "text": "x" * size}, durability)

    def identifiers(self):
        found, cursor = [], 0
        while True:
            status, page = self.send("GET", f"/v1/collections/Item?filter=_id%20%3E%3D%20{cursor}&sort=_id&limit=1000")
            assert status == 200, page
            found += [value["_id"] for value in page]
            if len(page) < 1000:
                return found
            cursor = found[-1] + 1

    def processor_seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def wait_until_ready(self):
        for _ in range(100):
            if self.send("GET", "/readyz")[0] == 200:
                return
            time.sleep(0.1)
        raise AssertionError(f"the server does not recover: {self.send('GET', '/readyz')}")


def check(program, data):
    result = subprocess.run([program, "check", "--data", data], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def check_after_kill(server, program, data, kept):
    """Kills the server; the store is whole, and another server has all that was answered, and nothing else."""
    server.end(signal.SIGKILL)
    check(program, data)
    server = Server(program, data, {})
    assert server.identifiers() == kept, "after a restart"
    server.end(signal.SIGTERM)


def fill(server, size):
    """Creates objects of that size until the disk is full. Returns their identifiers."""
    kept = []
    while len(kept) < 10_000:
        status, problem = server.create(len(kept), size)
        if status != 201:
            assert (status, problem["code"]) == (507, "storage_full"), (status, problem)
            return kept
        kept.append(len(kept))
    raise AssertionError("the disk is never full")


def create_again(server, kept, size=100):
    """The server recovers, and creates the next object."""
    server.wait_until_ready()
    kept.append(kept[-1] + 1 if kept else 0)
    status, problem = server.create(kept[-1], size)
    assert status == 201, (status, problem)
    assert server.identifiers() == kept, "after recovery"


def injected(program, library, folder, kind, statuses):
    data, control = f"{folder}/{kind}", f"{folder}/fault-{kind}"
    make_store(program, folder, SCHEMA, data)
    server = Server(program, data, {"LD_PRELOAD": library, "FAULT_FILE": control})
    kept = list(range(50))
    for identifier in kept:
        assert server.create(identifier)[0] == 201
    with open(control, "w", encoding="utf-8") as file:
        file.write(kind)
    for identifier in range(100, 110):
        status, problem = server.create(identifier)
        assert status in statuses, (kind, status, problem)
    status, _ = server.send("GET", "/readyz")
    assert status in statuses, (kind, "readyz", status)
    assert server.send("GET", "/livez")[0] == 200
    assert server.identifiers() == kept, (kind, "reads")
    os.remove(control)
    create_again(server, kept)
    check_after_kill(server, program, data, kept)
    print(f"{kind}: refused, kept, recovered")


def lost_sync(program, library, folder):
    """A sync fails that answered writes depend on: one that succeeds later proves nothing, so that only a restart helps."""
    for way in ("write", "log", "window"):
        data, control = f"{folder}/lost-{way}", f"{folder}/fault-lost-{way}"
        make_store(program, folder, SCHEMA, data)
        server = Server(program, data, {"LD_PRELOAD": library, "FAULT_FILE": control})
        kept = list(range(20))
        for identifier in kept:
            assert server.create(identifier)[0] == 201
        with open(control, "w", encoding="utf-8") as file:
            file.write("sync")
        kept.append(20)
        window = "within-100ms" if way == "window" else "within-60s"
        assert server.create(20, durability=window)[0] == 201
        if way == "write":
            status, problem = server.create(100)
            assert (status, problem["code"]) == (503, "store_unavailable"), problem
        elif way == "log":
            status, problem = server.send("GET", "/v1/changes")
            assert (status, problem["code"]) == (503, "store_unavailable"), problem
        else:
            while server.send("GET", "/readyz")[0] == 200:
                time.sleep(0.01)
        os.remove(control)
        for durability in ("full", "within-60s"):
            status, problem = server.create(100, durability=durability)
            assert (status, problem["code"]) == (503, "store_unavailable"), problem
        # Longer than it takes for a store that may recover.
        time.sleep(1)
        assert server.send("GET", "/readyz")[0] == 503
        assert server.send("GET", "/v1/changes")[0] == 503
        assert server.identifiers() == kept, (way, "reads")
        log = os.path.getsize(f"{data}/gatehouse.db-wal")
        server.end(signal.SIGTERM)
        # Nothing of what may be lost was moved to where it could not be told from what is whole.
        assert os.path.getsize(f"{data}/gatehouse.db-wal") == log > 0, way
        check(program, data)
        server = Server(program, data, {})
        # The write whose sync failed was in the log as well; nobody was told that it was done.
        found = server.identifiers()
        assert found in (kept, kept + [100]), (way, "after a restart")
        create_again(server, found)
        server.end(signal.SIGTERM)
    print("a sync that answered writes depend on: no more writes, not moved, whole after a restart")


@contextlib.contextmanager
def disk(folder, name, size):
    """A small disk of its own; None where none can be mounted."""
    mount = f"{folder}/{name}-disk"
    os.mkdir(mount)
    if os.geteuid() != 0 or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", mount], stderr=subprocess.DEVNULL).returncode != 0:
        print(f"skipped: a {name} disk needs root and a tmpfs")
        yield None
        return
    try:
        yield mount
    finally:
        subprocess.run(["umount", "-l", mount], check=False)


def on_disk(name, size=None):
    """Runs a function on a store with a small disk of its own, where one can be mounted."""
    def decorate(body):
        @functools.wraps(body)
        def run(program, folder):
            with disk(folder, name, size or f"{DISK}m") as mount:
                if mount:
                    make_store(program, folder, SCHEMA, f"{mount}/data")
                    body(program, mount, f"{mount}/data")
        return run
    return decorate


@on_disk("full", "4m")
def full_disk(program, mount, data):
    server = Server(program, data, {})
    kept = fill(server, 10_000)
    assert server.send("GET", "/readyz")[0] == 507
    assert server.identifiers() == kept
    subprocess.run(["mount", "-o", "remount,size=32m", mount], check=True)
    create_again(server, kept, 10_000)
    check_after_kill(server, program, data, kept)
    print(f"full disk: refused after {len(kept) - 1} objects, kept, recovered")


class Filler:
    """Another program, which takes all that a disk has free whenever it is told to."""

    def __init__(self, mount):
        self.path = f"{mount}/filler"

    def fill(self):
        with open(self.path, "ab", buffering=0) as file:
            for size in (1 << 20, 4096):
                with contextlib.suppress(OSError):
                    # The disks of these tests have no more.
                    for _ in range(1 << 10):
                        if file.write(bytes(size)) < size:
                            break

    def remove(self):
        os.remove(self.path)


def delete_one(server, kept, place):
    gone = kept.pop(place)
    status, problem = server.send("DELETE", f"/v1/collections/Item/{gone}")
    assert status == 204, (status, problem, len(kept))


def delete_first(server, kept, count):
    """Deletes the first of them by a filter."""
    path = f"/v1/collections/Item?filter=TRUEPREDICATE%20SORT(_id%20ASC)%20LIMIT({count})"
    status, answer = server.send("DELETE", path)
    assert status == 200, (status, answer, len(kept))
    del kept[:count]


def assert_restored(data):
    """The reserve has its size again, as soon as there is room."""
    for _ in range(100):
        size = os.path.getsize(f"{data}/reserve")
        if size == DISK << 17:
            return
        time.sleep(0.1)
    raise AssertionError(f"the reserve has {size} bytes")


class Budget:
    """The same without a disk: the library gives the files of a store no more bytes than they have."""

    def __init__(self, data, control, size):
        self.data, self.control, self.size = data, control, size
        self.give(size)

    def give(self, size):
        with open(self.control, "w", encoding="utf-8") as file:
            file.write(f"room {size}")

    def fill(self):
        names = ("gatehouse.db", "gatehouse.db-wal", "gatehouse.db-shm", "reserve")
        self.give(sum(os.path.getsize(f"{self.data}/{name}") for name in names))

    def remove(self):
        self.give(self.size)


def delete_all(server, filler):
    """Fills the disk, deletes everything, in no order, while others take what is free; returns how many."""
    chance, kept = random.Random(1), fill(server, 10_000)
    count = len(kept)
    while kept:
        filler.fill()
        for _ in range(min(20, len(kept))):
            delete_one(server, kept, chance.randrange(len(kept)))
        filler.fill()
        delete_first(server, kept, 10)
        status, problem = server.create(count, 10_000)
        if status == 201:
            kept.append(count)
            count += 1
        else:
            assert (status, problem["code"]) == (507, "storage_full"), (status, problem)
        assert server.identifiers() == kept
    return count


def deletions(program, data, filler, environment):
    """Where another program has all that is free, all objects can be deleted, and then others created."""
    server = Server(program, data, environment)
    count = delete_all(server, filler)
    filler.remove()
    kept = []
    create_again(server, kept, 10_000)
    assert_restored(data)
    check_after_kill(server, program, data, kept)
    return count


@on_disk("deletions")
def deletions_on_a_full_disk(program, mount, data):
    print(f"deletions on a full disk: {deletions(program, data, Filler(mount), {})} done, room again")


def injected_deletions(program, library, folder):
    data, control = f"{folder}/budget", f"{folder}/fault-budget"
    make_store(program, folder, SCHEMA, data)
    environment = {"LD_PRELOAD": library, "FAULT_FILE": control}
    count = deletions(program, data, Budget(data, control, DISK << 20), environment)
    print(f"deletions without room: {count} done, room again")


@on_disk("large")
def large_deletion_on_a_full_disk(program, mount, data):
    """A deletion of everything is done, or refused as a whole, with less of it done afterwards: what has left the log
    meanwhile may have made room."""
    server = Server(program, data, {"GATEHOUSE_RESERVE_MEGABYTES": "1"})
    filler = Filler(mount)
    kept = fill(server, 10_000)
    filler.fill()
    refused = 0
    for _ in range(3):
        filler.fill()
        status, problem = server.send("DELETE", "/v1/collections/Item?filter=TRUEPREDICATE")
        if status == 200:
            kept = []
            break
        assert status == 507 and problem["code"] == "storage_full", (status, problem)
        refused += 1
        assert "fewer at a time" in problem["detail"], problem
        assert server.identifiers() == kept
        delete_first(server, kept, 10)
    filler.remove()
    create_again(server, kept, 10_000)
    check_after_kill(server, program, data, kept)
    print(f"a deletion of everything: refused {refused} times, smaller ones done")


@on_disk("restarts")
def restarts_on_a_full_disk(program, mount, data):
    """A store is opened on a full disk, also without a reserve, and deletes and writes as soon as it can."""
    server = Server(program, data, {})
    filler = Filler(mount)
    kept = fill(server, 10_000)
    for number in (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGKILL):
        filler.fill()
        delete_first(server, kept, 10)
        delete_one(server, kept, 0)
        server.end(number)
        filler.fill()
        server = Server(program, data, {})
        assert server.identifiers() == kept, f"after {number}"
        delete_one(server, kept, 0)
    server.end(signal.SIGKILL)
    for name in ("reserve", "gatehouse.db-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.remove(f"{data}/{name}")
    filler.fill()
    server = Server(program, data, {})
    assert server.identifiers() == kept, "without a reserve"
    assert server.send("GET", "/readyz")[0] == 507
    before = server.processor_seconds()
    for _ in range(10):
        status, problem = server.create(kept[-1] + 1, 100)
        assert (status, problem["code"]) == (507, "storage_full"), (status, problem)
        time.sleep(0.1)
    assert server.processor_seconds() - before < 0.8, "it spins"
    filler.remove()
    create_again(server, kept, 10_000)
    delete_one(server, kept, 0)
    assert_restored(data)
    check_after_kill(server, program, data, kept)
    print("restarts on a full disk: opened, deleted, wrote again")


@on_disk("retention")
def retention_on_a_full_disk(program, mount, data):
    """The change log is shortened on a full disk, and what that frees can be written to."""
    server = Server(program, data, {})
    filler = Filler(mount)
    kept = fill(server, 10_000)
    server.end(signal.SIGKILL)
    filler.fill()
    server = Server(program, data, {"GATEHOUSE_LOG_MEGABYTES": "1"})
    delete_one(server, kept, 0)
    for _ in range(100):
        if server.create(kept[-1] + 1, 10_000)[0] == 201:
            break
        time.sleep(0.1)
    else:
        raise AssertionError("the log's old entries make no room")
    kept.append(kept[-1] + 1)
    check_after_kill(server, program, data, kept)
    print("retention on a full disk: made room")


@on_disk("batches", "8m")
def batches_on_a_full_disk(program, mount, data):
    """An import in batches says what of it is in the store."""
    lines = "".join(json.dumps({"_id": index, "text": "x" * 10_000}) + "\n" for index in range(2000))
    result = subprocess.run(
        [program, "import", "Item", "-", "--batch", "10", "--data", data], input=lines, capture_output=True, text=True)
    found = re.search(r"(\d+) objects had been imported, up to line (\d+), and stay", result.stderr)
    assert result.returncode == 1 and "The disk is full." in result.stderr and found, result
    assert found[1] == found[2], result.stderr
    exported = subprocess.run(
        [program, "export", "Item", "--data", data], capture_output=True, text=True, check=True)
    assert len(exported.stdout.splitlines()) == int(found[1]), (found[0], len(exported.stdout.splitlines()))
    print("an import on a full disk: says what it has done")


@on_disk("read-only", "16m")
def read_only_disk(program, mount, data):
    """A store on a disk that cannot be written is not served, but can be looked at, and is served again later."""
    server = Server(program, data, {})
    kept = list(range(10))
    for identifier in kept:
        assert server.create(identifier)[0] == 201
    server.end(signal.SIGTERM)
    subprocess.run(["mount", "-o", "remount,ro", mount], check=True)
    for directory in (data, f"{mount}/new"):
        result = subprocess.run(
            [program, "serve", "--data", directory, "--listen", "127.0.0.1:0"],
            capture_output=True, text=True, timeout=30)
        assert result.returncode == 1 and f"{directory} cannot be written" in result.stderr, result
    check(program, data)
    subprocess.run(["mount", "-o", "remount,rw", mount], check=True)
    server = Server(program, data, {})
    assert server.identifiers() == kept
    create_again(server, kept)
    server.end(signal.SIGTERM)
    print("a read-only disk: refused, looked at, served again")


def refused(program, folder):
    """What cannot be opened is said in a sentence, and nothing is changed."""
    data = f"{folder}/refused"
    make_store(program, folder, SCHEMA, data)
    path = f"{data}/gatehouse.db"
    with open(path, "rb") as file:
        whole = file.read()

    def attempt(content, words):
        with open(path, "wb") as file:
            file.write(content)
        for suffix in ("-wal", "-shm"):
            if os.path.exists(path + suffix):
                os.remove(path + suffix)
        result = subprocess.run(
            [program, "serve", "--data", data, "--listen", "127.0.0.1:0"], capture_output=True, text=True, timeout=30)
        assert result.returncode == 1 and words in result.stderr, (words, result)
        with open(path, "rb") as file:
            assert file.read() == content, f"{words}: the file was changed"

    attempt(b"this is no database, but a text of some length" * 100, "damaged")
    attempt(whole[:60] + (99).to_bytes(4, "big") + whole[64:], "no store of this version")
    attempt(whole[:68] + b"XXXX" + whole[72:], "no store of this version")
    print("a foreign, a newer and a damaged file: refused")


def main():
    scenarios = {scenario.__name__: scenario for scenario in (
        full_disk, deletions_on_a_full_disk, large_deletion_on_a_full_disk, restarts_on_a_full_disk,
        retention_on_a_full_disk, batches_on_a_full_disk, read_only_disk, refused)}
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--short", action="store_true", help="with smaller disks")
    parser.add_argument("--only", choices=["injected", "lost_sync", *scenarios], help="the scenario with that name")
    options = parser.parse_args()
    if options.short:
        global DISK
        DISK = 16
    folder = tempfile.mkdtemp(prefix="gatehouse-faults-")
    try:
        if options.only in (None, "injected"):
            for kind, statuses in [("eio", [503]), ("short", [503]), ("sync", [503]), ("full", [507])]:
                injected(options.program, options.library, folder, kind, statuses)
            injected_deletions(options.program, options.library, folder)
        if options.only in (None, "lost_sync"):
            lost_sync(options.program, options.library, folder)
        for name, scenario in scenarios.items():
            if options.only in (None, name):
                scenario(options.program, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
