"""Kills a server with triggers while clients write, and compares what each trigger was called for with the change log.

What must hold of each trigger, whenever the kills came:
- it is called for each change of its class at least once, and for nothing else;
- the event says what the log says: the operation, the object, and what it was after the change;
- each write that was answered is among them;
- in an ordered trigger, first calls come in the order of the log, and a call that comes again is of one of the last changes;
- it is not suspended, and comes to the end.
"""

import collections
import http.client
import http.server
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

SCHEMA = [
    {"name": "Item", "primaryKey": "_id", "properties": {"_id": "int", "n": "int", "text": "string"}},
    {"name": "Other", "properties": {"n": "int"}},
]
# The position is kept after so many changes at most (Triggers.md, "Once at least"), and a call may have been made and not noted.
BATCH = 64


class Receiver(http.server.ThreadingHTTPServer):
    """Takes the webhooks and the requests of functions: each event by the name of its trigger, in the order in which they came."""

    request_queue_size = 128
    daemon_threads = True

    def __init__(self, seed, refused):
        super().__init__(("127.0.0.1", 0), Hook)
        self.chance, self.refused = random.Random(seed), refused
        self.lock = threading.Lock()
        self.taken = collections.defaultdict(list)
        self.refusals = 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def take(self, name, event):
        with self.lock:
            if self.chance.random() < self.refused:
                self.refusals += 1
                return 503
            self.taken[name].append(event)
            return 204

    def handle_error(self, request, client_address):
        pass  # Whoever asked has been killed.


class Hook(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(self.server.take(self.path[1:], event))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Writer(threading.Thread):
    """Creates, changes and deletes items of its own, and remembers what was answered."""

    def __init__(self, number, count, seed, server, stop):
        super().__init__(daemon=True)
        self.number, self.count, self.server, self.stop = number, count, server, stop
        self.random = random.Random(seed)
        self.next, self.n = number, number
        self.ids = []
        self.answered = []  # (operation, id, n), in the order of the answers
        self.fault = None

    def run(self):
        connection = None
        while not self.stop.is_set():
            try:
                if connection is None:
                    connection = http.client.HTTPConnection("127.0.0.1", self.server(), timeout=30)
                self.write(connection)
                time.sleep(self.random.uniform(0, 0.03))
            except (OSError, http.client.HTTPException):
                connection = None
                time.sleep(0.02)

    def operations(self):
        # The log has one change of an object in a transaction: each is written once.
        free = list(self.ids)
        for _ in range(1 if self.random.random() < 0.6 else self.random.randint(2, 12)):
            self.n += self.count
            kind = self.random.random()
            if len(free) < 5 or kind < 0.4:
                self.next += self.count
                self.ids.append(self.next)
                value = {"_id": self.next, "n": self.n, "text": "x" * self.random.randrange(300)}
                yield {"op": "create", "class": "Item", "value": value}, ("insert", self.next, self.n)
                continue
            if kind < 0.5:
                yield {"op": "create", "class": "Other", "value": {"n": self.n}}, None
                continue
            identifier = free.pop(self.random.randrange(len(free)))
            if kind < 0.85:
                yield {"op": "update", "class": "Item", "id": identifier, "set": {"n": self.n}}, ("update", identifier, self.n)
            else:
                self.ids.remove(identifier)
                yield {"op": "delete", "class": "Item", "id": identifier}, ("delete", identifier, None)

    def write(self, connection):
        before = list(self.ids)
        operations, changes = zip(*self.operations())
        connection.request(
            "POST", "/v1/transactions", json.dumps({"operations": operations}),
            {"Content-Type": "application/json", "Prefer": "return=minimal"})
        answer = connection.getresponse()
        text = answer.read()
        if answer.status < 300:
            self.answered += [change for change in changes if change]
        elif answer.status == 404:
            # A write that was cut off took place, or did not: its objects are not there, or no more.
            self.ids = []
        else:
            self.ids = before
            self.fault = f"writer {self.number}: {answer.status} {text}"


def make_triggers(data, port, has_functions):
    """Ordered and unordered ones that send webhooks and that call functions. Gives the names, with whether they are ordered."""
    for folder in ["triggers", "functions"]:
        os.makedirs(f"{data}/{folder}", exist_ok=True)
    names = {}
    for action in ["webhook"] + (["function"] if has_functions else []):
        for is_ordered in [True, False]:
            name = f"{action}-{'ordered' if is_ordered else 'unordered'}"
            names[name] = is_ordered
            url = f"http://127.0.0.1:{port}/{name}"
            processor = {"WEBHOOK": {"config": {"url": url}}}
            if action == "function":
                processor = {"FUNCTION": {"config": {"function_name": name}}}
                with open(f"{data}/functions/{name}.js", "w", encoding="utf-8") as file:
                    file.write(f"""exports = async event => {{
  const answer = await context.http.post({{url: '{url}', body: event, encodeBodyAsJSON: true}});
  if (answer.statusCode !== 204) throw new Error(`status ${{answer.statusCode}}`);
}};
""")
            config = {"collection": "Item", "full_document": True, "unordered": not is_ordered}
            with open(f"{data}/triggers/{name}.json", "w", encoding="utf-8") as file:
                json.dump({"name": name, "type": "DATABASE", "config": config, "event_processors": processor}, file)
    return names


def get(port, path, accept):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path, headers={"Accept": accept})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    if answer.status != 200:
        sys.exit(f"{path}: {answer.status} {text}")
    return text


def logged(port):
    """The changes of items that the log has: position -> operation, id, object after it; in its order."""
    world, changes = {}, {}
    for line in get(port, "/v1/changes?since=0", "application/x-ndjson").splitlines():
        change = json.loads(line)
        if change.get("class") != "Item":
            continue
        identifier = change["id"]
        if change["operation"] == "delete":
            world.pop(identifier)
            after = None
        else:
            after = {**world.get(identifier, {}), **change["after"]}
            world[identifier] = after
        changes[f"{change['version']}-{change['n']}"] = (change["operation"], identifier, after)
    return changes


def number(value):
    return int(next(iter(value.values()))) if isinstance(value, dict) else value


def told(event):
    """The event in the form of the log."""
    after = event.get("fullDocument")
    if after is not None:
        after = {name: number(value) for name, value in after.items()}
    return event["operationType"], number(event["documentKey"]["_id"]), after


def compare(events, changes, is_ordered):
    """The first difference between what a trigger was called for and the log; None: there is none."""
    places = {position: place for place, position in enumerate(changes)}
    seen, newest = set(), -1
    for event in events:
        position = event["_id"]["_data"]
        if position not in places:
            return f"it was called for {position}, which is no change of an item"
        if told(event) != changes[position]:
            return f"at {position} it was told {told(event)}, but the log says {changes[position]}"
        place = places[position]
        if is_ordered and position not in seen and place != newest + 1:
            return f"it was called for change {place} ({position}) after {newest}"
        if is_ordered and place < newest - BATCH:
            return f"it was called again for change {place} ({position}), after {newest}"
        seen.add(position)
        newest = max(newest, place)
    if len(seen) != len(changes):
        missing = next(position for position in changes if position not in seen)
        return f"it was never called for {len(changes) - len(seen)} changes, such as {missing}"
    return None


def finish(server, names, seconds):
    """Waits until all triggers have come to the end, and gives what one says that has not; None: all have."""
    end = time.monotonic() + seconds
    while True:
        states = json.loads(get(server.port, "/v1/triggers", "application/json"))
        states = [state for state in states if state["name"] in names]
        wrong = [state for state in states if state["state"] == "suspended"]
        if wrong or len(states) != len(names):
            return f"a trigger is suspended or gone: {states}"
        # In the midst of the last transaction it is behind by no version.
        if all(state["lag"] == 0 and "-" not in state["position"] and state["state"] == "running" for state in states):
            return None
        if time.monotonic() > end:
            return f"a trigger has not come to the end: {states}"
        time.sleep(0.1)


def main():
    settings = options(kills=30, writers=4, refused=2)
    chance = random.Random(settings.seed)
    folder = tempfile.mkdtemp(prefix="gatehouse-triggers-")
    data = make_store(settings.program, folder, SCHEMA)
    receiver = Receiver(chance.random(), settings.refused / 1000)
    names = make_triggers(data, receiver.server_port, shutil.which("node") is not None)
    log = open(f"{folder}/log", "w", encoding="utf-8")

    def serve(port=0):
        return Gateway(settings.program, data, "--outbound-allow", "127.0.0.0/8", "--access-log", "off", port=port, log=log)

    start = time.monotonic()
    server, stop = serve(), threading.Event()
    writers = [
        Writer(i, settings.writers, chance.random(), lambda: server.port, stop) for i in range(settings.writers)]
    for writer in writers:
        writer.start()
    for kill in range(1, settings.kills + 1):
        time.sleep(chance.uniform(0.1, 2))
        server.kill()
        server = serve()
        if kill % 10 == 0:
            print(f"{kill} kills", file=sys.stderr)
    time.sleep(0.3)
    stop.set()
    for writer in writers:
        writer.join()
    faults = [writer.fault for writer in writers if writer.fault]
    behind = finish(server, names, 60 + 10 * settings.kills)
    faults += [behind] if behind else []
    changes = logged(server.port)
    server.kill()
    check = subprocess.run([settings.program, "check", "--data", data], capture_output=True, text=True, check=False)
    if check.returncode != 0:
        faults.append(f"check: {check.stdout}{check.stderr}")
    known = {(operation, identifier, (after or {}).get("n")) for operation, identifier, after in changes.values()}
    answered = [change for writer in writers for change in writer.answered]
    faults += [f"{change} was answered, but is not in the log" for change in answered if change not in known][:1]
    for name, is_ordered in names.items():
        fault = compare(receiver.taken[name], changes, is_ordered)
        if fault:
            faults.append(f"{name}: {fault}")
    if faults:
        print("\n".join(faults), file=sys.stderr)
        print(f"seed {settings.seed}; the store is in {data}", file=sys.stderr)
        return 1
    again = {name: len(receiver.taken[name]) - len(changes) for name in names}
    print(
        f"{settings.kills} kills, {settings.writers} writers, seed {settings.seed}: {len(changes)} changes, "
        f"{len(answered)} of them answered, {receiver.refusals} calls refused; called again: "
        + ", ".join(f"{name} {count}" for name, count in again.items())
        + f"; {time.monotonic() - start:.0f} s, no faults")
    log.close()
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
