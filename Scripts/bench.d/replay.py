"""Measures how clients that are far behind catch up while others write: time until the first event and until the stream
is live, and what the server's memory does.

replay.py URL SERVER_PID CHANGES STREAMS WRITES_PER_SECOND
"""

import json
import random
import selectors
import socket
import sys
import threading
import time

host, port = sys.argv[1].removeprefix("http://").split(":")
server, changes, streams, rate = (int(argument) for argument in sys.argv[2:6])
address = (host, int(port))
chance = random.Random(1)


def memory():
    with open(f"/proc/{server}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:")) / 1024


def request(method, path, body, kind="application/json"):
    return (
        f"{method} {path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: {kind}\r\n"
        f"content-length: {len(body)}\r\n\r\n{body}").encode()


class Client:
    """Sends requests one behind the other, and counts the answers."""

    def __init__(self):
        self.socket = socket.create_connection(address)
        self.file = self.socket.makefile("rb")

    def answer(self):
        status = int(self.file.readline().split()[1])
        length = 0
        while (line := self.file.readline().strip()):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        body = self.file.read(length)
        if status >= 300:
            sys.exit(f"{status} {body[:200]}")

    def send(self, requests):
        self.socket.sendall(b"".join(requests))
        for _ in requests:
            self.answer()


def value(identifier):
    return {"id": identifier, "n": chance.randrange(1000), "text": f"value {chance.randrange(10**6)}"}


def load():
    """Creates and changes objects, a hundred to a commit: two creations for each three changes."""
    client, count, next_id = Client(), 0, 0
    while count < changes:
        batches = []
        for _ in range(8):
            operations = []
            for _ in range(100):
                if next_id < 200 or chance.random() < 0.4:
                    operations.append({"op": "create", "class": "Event", "value": value(next_id)})
                    next_id += 1
                else:
                    # None that this transaction creates: they would be one change.
                    target = chance.randrange(next_id - 100)
                    operations.append(
                        {"op": "update", "class": "Event", "id": target, "set": {"n": chance.randrange(1000)}})
            batches.append(request("POST", "/v1/transactions", json.dumps({"operations": operations})))
            count += len(operations)
        client.send(batches)
    return next_id


def write(stop, written, next_id):
    """Creates objects at a steady rate, on one connection."""
    client, start, count = Client(), time.monotonic(), 0
    while not stop.is_set():
        due = int((time.monotonic() - start) * rate) - count
        if due > 0:
            due = min(due, 100)
            client.send([
                request("POST", "/v1/collections/Event", json.dumps(value(next_id + count + i))) for i in range(due)])
            count += due
            written[0] = count
        time.sleep(0.01)


def watch():
    """Opens the streams, and reads until all are live."""
    selector = selectors.DefaultSelector()
    start = time.monotonic()
    state = {}
    for number in range(streams):
        connection = socket.create_connection(address)
        connection.sendall(
            f"GET /v1/collections/Event?since=0 HTTP/1.1\r\nhost: {host}\r\naccept: text/event-stream\r\n\r\n".encode())
        connection.setblocking(False)
        selector.register(connection, selectors.EVENT_READ, number)
        state[number] = {"first": None, "ready": None, "events": 0, "rest": b""}
    before, peak, looked = memory(), 0.0, 0.0
    while any(one["ready"] is None for one in state.values()):
        for key, _ in selector.select(1):
            one = state[key.data]
            data = key.fileobj.recv(1 << 20)
            if not data:
                sys.exit("A stream ended.")
            text = one["rest"] + data
            one["events"] += text.count(b"\ndata: {\"class\"")
            if one["first"] is None and one["events"]:
                one["first"] = time.monotonic() - start
            if b"event: ready\n" in text:
                one["ready"] = time.monotonic() - start
                selector.unregister(key.fileobj)
            one["rest"] = text[-15:]
        now = time.monotonic()
        if now - looked > 0.2:
            looked, peak = now, max(peak, memory())
        if now - start > 600:
            sys.exit(f"Not live after ten minutes: {[one['events'] for one in state.values()]} events.")
    return state, before, peak


began = time.monotonic()
next_id = load()
print(f"{changes} changes made in {time.monotonic() - began:.1f} s", file=sys.stderr)
stop, written = threading.Event(), [0]
writer = threading.Thread(target=write, args=(stop, written, next_id), daemon=True)
writer.start()
began = time.monotonic()
state, before, peak = watch()
seconds = time.monotonic() - began
stop.set()
writer.join()
firsts = sorted(one["first"] or 0 for one in state.values())
lives = sorted(one["ready"] for one in state.values())
events = sum(one["events"] for one in state.values())
print(
    f"{streams:4d} streams behind by {changes} changes, {written[0] / seconds:.0f} writes/s beside: first event after "
    f"{firsts[-1]:.2f} s, live after {lives[0]:.1f} to {lives[-1]:.1f} s, {events / seconds:.0f} events/s, "
    f"memory {before:.0f} to {peak:.0f} MiB, {(peak - before) / streams:.2f} MiB for a stream")
