"""Has servers of a cluster end, and prints how long nothing was written. Called by Scripts/bench.d/failover with the programs of the
gateway and of the log's servers, a folder, the number of rounds and twelve free ports."""

import http.client
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

gateway, log_server, folder, rounds = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
ports = [int(port) for port in sys.argv[5:17]]
clients, monitors, routes, listeners = ports[:3], ports[3:6], ports[6:9], ports[9:]
servers, gateways = [None] * 3, [None] * 3
PATIENCE = 60


def start_server(index):
    path = f"{folder}/n{index}"
    with open(f"{path}.conf", "w") as file:
        others = ", ".join(f'"nats://127.0.0.1:{port}"' for port in routes)
        file.write(
            f'server_name: n{index}\nlisten: "127.0.0.1:{clients[index]}"\nhttp: "127.0.0.1:{monitors[index]}"\n'
            f'jetstream {{ store_dir: "{path}", sync_interval: always, max_file_store: 10GB }}\n'
            f'cluster {{ name: c, listen: "127.0.0.1:{routes[index]}", routes: [{others}] }}\n'
        )
    servers[index] = subprocess.Popen([log_server, "-c", f"{path}.conf", "-l", f"{path}.log"])


def start_gateway(index):
    log = ",".join(f"127.0.0.1:{port}" for port in clients)
    variables = dict(os.environ, GATEHOUSE_CLUSTER=f"nats://{log}?monitor={monitors[0]}")
    with open(f"{folder}/g{index}.log", "a") as output:
        gateways[index] = subprocess.Popen(
            [gateway, "serve", "--data", f"{folder}/g{index}", "--listen", f"127.0.0.1:{listeners[index]}", "--access-log", "off"],
            env=variables, stdout=output, stderr=output)


def ask(port, method, path, body=None, fields=None, seconds=5):
    """Returns the status, and the answer's JSON; nothing of both where there is no answer."""
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        content = None if body is None else json.dumps(body)
        client.request(method, path, content, {"Content-Type": "application/json", **(fields or {})} if content else fields or {})
        answer = client.getresponse()
        content = answer.read()
        return answer.status, json.loads(content) if content[:1] in (b"{", b"[") else None
    except (OSError, http.client.HTTPException):
        return None, None
    finally:
        client.close()


def wait(condition):
    for _ in range(PATIENCE * 50):
        if found := condition():
            return found
        time.sleep(0.02)
    sys.exit(f"{condition.__name__} did not come true in {PATIENCE} seconds; see {folder}")


def all_ready():
    return all(ask(port, "GET", "/readyz")[0] == 200 for port in listeners)


def leader():
    for index, port in enumerate(listeners):
        state = ask(port, "GET", "/v1/cluster")[1]
        if state and state["role"] == "leader":
            return [index]


def stream_leader():
    for port in monitors:
        state = ask(port, "GET", "/jsz?streams=true&accounts=true")[1]
        for account in (state or {}).get("account_details", []):
            for stream in account.get("stream_detail", []):
                if stream["name"] == "gatehouse-gatehouse" and stream.get("cluster", {}).get("leader"):
                    return [int(stream["cluster"]["leader"][1:])]


class Writer(threading.Thread):
    """Creates objects, each with one key until it is acknowledged, at a gateway for as long as that answers."""

    lock = threading.Lock()
    threads, next, last, silence, count, running = 0, 0, time.monotonic(), 0.0, 0, True

    def run(self):
        gateway = Writer.threads = Writer.threads + 1
        while Writer.running:
            with Writer.lock:
                Writer.next += 1
                number = Writer.next
            while Writer.running:
                status, _ = ask(
                    listeners[gateway % 3], "POST", "/v1/collections/Item", {"_id": number, "text": "a"},
                    {"Idempotency-Key": f'"{number}"'}, seconds=6)
                if status == 201:
                    break
                if status not in (None, 409, 503):
                    sys.exit(f"object {number}: {status}")
                gateway += random.randint(1, 2)
                time.sleep(0.002)
            with Writer.lock:
                now = time.monotonic()
                Writer.silence = max(Writer.silence, now - Writer.last)
                Writer.last, Writer.count = now, Writer.count + 1

    @classmethod
    def take_silence(cls):
        with cls.lock:
            longest, cls.silence = max(cls.silence, time.monotonic() - cls.last), 0.0
            return longest


def step_down():
    index = leader()[0]
    ask(listeners[index], "POST", "/v1/cluster/step-down", {})


def strike(number, processes, find, start):
    """Returns a fault: the process that leads gets a signal; and that returns what mends it."""

    def fault():
        index = wait(find)[0]
        process = processes[index]
        process.send_signal(number)
        if number == signal.SIGSTOP:
            return lambda: process.send_signal(signal.SIGCONT)
        process.wait()
        return lambda: start(index)

    return fault


def strike_gateway(number):
    return strike(number, gateways, leader, start_gateway)


def strike_server(number):
    return strike(number, servers, stream_leader, start_server)


def servers_whole():
    return all(ask(port, "GET", "/healthz")[0] == 200 for port in monitors)


FAULTS = [
    ("leading gateway steps down", step_down),
    ("leading gateway, SIGTERM", strike_gateway(signal.SIGTERM)),
    ("leading gateway, SIGKILL", strike_gateway(signal.SIGKILL)),
    ("leading gateway, SIGSTOP", strike_gateway(signal.SIGSTOP)),
    ("leading log server, SIGTERM", strike_server(signal.SIGTERM)),
    ("leading log server, SIGKILL", strike_server(signal.SIGKILL)),
    ("leading log server, SIGSTOP", strike_server(signal.SIGSTOP)),
]

try:
    for index in range(3):
        start_server(index)
    wait(servers_whole)
    for index in range(3):
        start_gateway(index)
    wait(all_ready)
    schema = [{"name": "Item", "primaryKey": "_id", "properties": {"_id": "int", "text": "string"}}]
    if ask(listeners[0], "PUT", "/v1/schema", schema)[0] != 200:
        sys.exit("The schema was refused.")
    writers = [Writer(daemon=True) for _ in range(6)]
    for writer in writers:
        writer.start()
        time.sleep(0.1)
    time.sleep(2)
    Writer.take_silence()
    time.sleep(3)
    print(f"{'without a fault':30} {Writer.take_silence() * 1e3:7.0f} ms without a write at most")
    for name, fault in FAULTS:
        silences = []
        for _ in range(rounds):
            Writer.take_silence()
            mend = fault()
            before = Writer.count
            wait(lambda: Writer.count > before + 50)
            silences.append(Writer.take_silence())
            if mend:
                mend()
            wait(servers_whole)
            wait(all_ready)
            wait(leader)
            time.sleep(1)
        silences.sort()
        print(f"{name:30} {silences[rounds // 2] * 1e3:7.0f} ms, at most {silences[-1] * 1e3:.0f}", flush=True)
    Writer.running = False
    for writer in writers:
        writer.join()
    status, answer = ask(listeners[wait(leader)[0]], "GET", "/v1/collections/Item?aggregate=@count")
    print(f"{Writer.count} acknowledged, {answer['@count']} there")
    if answer["@count"] < Writer.count:
        sys.exit("Objects are lost.")
finally:
    for process in gateways + servers:
        if process and process.poll() is None:
            process.kill()
            process.wait()
