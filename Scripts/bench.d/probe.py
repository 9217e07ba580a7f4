"""Measures what a server does while it has one large piece of work: the helper of several scripts beside it.

  probe.py links URL LINKERS CHANGES    events of objects that link to one that changes, and of another class beside
  probe.py deletion URL SERVER_PID PAUSE      the deletion of all objects of class Item, and others' reads and writes meanwhile
  probe.py paths URL SECONDS PATH…      GET of each path on a connection of its own
"""

import json
import socket
import sys
import threading
import time

host, port = sys.argv[2].removeprefix("http://").split(":")
stop = threading.Event()


class Client:
    """Asks on one connection, and takes the time."""

    def __init__(self):
        self.socket = socket.create_connection((host, int(port)))
        self.file = self.socket.makefile("rb")
        self.times, self.statuses = [], {}

    def ask(self, method, path, body="", kind="application/json"):
        start = time.monotonic()
        self.socket.sendall(
            f"{method} {path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: {kind}\r\n"
            f"content-length: {len(body)}\r\n\r\n{body}".encode())
        status, length = int(self.file.readline().split()[1]), 0
        while (line := self.file.readline().strip()):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        content = self.file.read(length)
        self.times.append(time.monotonic() - start)
        self.statuses[status] = self.statuses.get(status, 0) + 1
        return status, content

    def change(self, method, path, body, kind="application/json"):
        status, content = self.ask(method, path, json.dumps(body) if not isinstance(body, str) else body, kind)
        if status >= 300:
            sys.exit(f"{method} {path}: {status} {content[:200]}")
        return content


class Stream:
    """Counts the events of a class on a thread of its own, and remembers when each part of them came."""

    def __init__(self, name):
        self.socket = socket.create_connection((host, int(port)))
        self.socket.sendall(
            f"GET /v1/collections/{name} HTTP/1.1\r\nhost: {host}\r\naccept: text/event-stream\r\n\r\n".encode())
        self.events = self.resyncs = 0
        self.arrivals = []
        self.ready = threading.Event()
        threading.Thread(target=self.read, daemon=True).start()
        self.ready.wait(60)

    def read(self):
        rest = b""
        while (data := self.socket.recv(1 << 20)):
            now = time.monotonic()
            lines = (rest + data).split(b"\n")
            rest = lines.pop()
            for line in lines:
                if line.startswith(b"event: ready"):
                    self.ready.set()
                elif line.startswith(b"event: resync"):
                    self.resyncs += 1
                elif line.startswith((b"event: update", b"event: insert", b"event: delete")):
                    self.events += 1
                    self.arrivals.append(now)


def milliseconds(times):
    times = sorted(times) or [0]
    at = lambda part: times[min(len(times) - 1, int(len(times) * part))] * 1000
    return f"p50 {at(0.5):8.2f} ms  p99 {at(0.99):8.2f} ms  max {times[-1] * 1000:8.2f} ms"


def run(body, count):
    """Runs `body` with a client on each of so many threads, until `stop` is set; returns the threads and clients."""
    clients = [Client() for _ in range(count)]

    def loop(number, client):
        turn = 0
        while not stop.is_set():
            body(client, number, turn)
            turn += 1

    threads = [threading.Thread(target=loop, args=pair, daemon=True) for pair in enumerate(clients)]
    for thread in threads:
        thread.start()
    return threads, clients


def show(what, clients, seconds):
    times = [one for client in clients for one in client.times]
    refused = sum(count for client in clients for status, count in client.statuses.items() if status >= 300)
    print(f"{what:28s} {len(times) / seconds:8.0f}/s  {milliseconds(times)}  refused {refused}")


def links(linkers, changes):
    client = Client()
    client.change("POST", "/v1/collections/Target", {"id": 1, "n": 0})
    client.change("POST", "/v1/collections/Other", {"id": 1, "n": 0})
    sources = "".join('{"id":%d,"target":1}\n' % i for i in range(linkers))
    client.change("POST", "/v1/collections/Source", sources, "application/x-ndjson")
    source, other = Stream("Source"), Stream("Other")
    sent = []

    def write_other(client, number, turn):
        sent.append(time.monotonic())
        client.change("PATCH", "/v1/collections/Other/1", {"n": turn + 1}, "application/merge-patch+json")
        time.sleep(0.02)

    threads, _ = run(write_other, 1)
    start = time.monotonic()
    for turn in range(changes):
        client.change("PATCH", "/v1/collections/Target/1", {"n": turn + 1}, "application/merge-patch+json")
    written = time.monotonic() - start
    # All are there, or nothing more comes for five seconds: changes that follow each other may be one event.
    while source.events < linkers * changes and time.monotonic() - max([start, *source.arrivals[-1:]]) < 5:
        time.sleep(0.01)
    seconds = (source.arrivals or [start])[-1] - start
    stop.set()
    for thread in threads:
        thread.join()
    time.sleep(0.5)
    delays = [there - here for here, there in zip(sent, other.arrivals)]
    print(
        f"{linkers:5d} linkers {changes:4d} changes in {written:6.2f} s  {source.events:7d} events in {seconds:6.2f} s"
        f"  {source.events / max(seconds, 0.001):8.0f}/s  {source.resyncs} resyncs")
    print(f"      another class's stream   {len(delays):5d} of {len(sent)} events  {milliseconds(delays)}")


def memory(server, name):
    with open(f"/proc/{server}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(name)) / 1024


def deletion(server, pause):
    Client().change("POST", "/v1/collections/Note", {"id": 0, "title": "One"})
    before = memory(server, "VmRSS:")
    with open(f"/proc/{server}/clear_refs", "w") as refs:
        refs.write("5")
    readers = run(lambda client, number, turn: client.ask("GET", "/v1/collections/Note/0"), 4)
    writers = run(
        lambda client, number, turn: client.ask(
            "POST", "/v1/collections/Note", json.dumps({"id": number * 10**8 + turn + 1, "title": "Another"})), 8)
    time.sleep(1)
    start = time.monotonic()
    answer = json.loads(Client().change("DELETE", "/v1/collections/Item?filter=TRUEPREDICATE", ""))
    seconds = time.monotonic() - start
    stop.set()
    for thread in readers[0] + writers[0]:
        thread.join()
    peak = memory(server, "VmHWM:")
    time.sleep(pause)
    print(
        f"DELETE {answer['count']:8d} objects  {answer['count'] / seconds:8.0f}/s  {seconds:6.2f} s  memory before "
        f"{before:.0f} MB, at most {peak:.0f} MB, {pause} s later {memory(server, 'VmRSS:'):.0f} MB")
    show("  GET meanwhile", readers[1], seconds + 1)
    show("  create meanwhile", writers[1], seconds + 1)


def paths(seconds, names):
    for name in names:
        threads, clients = run(lambda client, number, turn: client.ask("GET", name), 1)
        time.sleep(seconds / len(names))
        stop.set()
        threads[0].join()
        stop.clear()
        show(f"GET {name}", clients, seconds / len(names))


match sys.argv[1]:
    case "links":
        links(int(sys.argv[3]), int(sys.argv[4]))
    case "deletion":
        deletion(int(sys.argv[3]), int(sys.argv[4]))
    case "paths":
        paths(float(sys.argv[3]), sys.argv[4:])
