"""Has servers of a cluster end, and prints how long nothing was written. Called by Scripts/bench.d/failover with the programs of the
gateway and of the log's servers, a folder, the number of rounds and twelve free ports."""

import random
import signal
import sys
import threading
import time

from local_cluster import LocalCluster, ask, wait

gateway, log_server, folder, rounds = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
cluster = LocalCluster(gateway, log_server, folder, [int(port) for port in sys.argv[5:17]], can_part=True)
listeners = cluster.listeners


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
    index = cluster.leader()[0]
    ask(listeners[index], "POST", "/v1/cluster/step-down", {})


class Loyal(threading.Thread):
    """Asks one gateway for writes, one after the other, whatever it answers: the longest that it is without an answer."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port, self.running, self.longest = port, True, 0.0

    def run(self):
        while self.running:
            begun = time.monotonic()
            ask(self.port, "POST", "/v1/collections/Item", {"_id": random.randint(10**9, 10**15), "text": "a"}, seconds=30)
            self.longest = max(self.longest, time.monotonic() - begun)
            time.sleep(0.02)


answers = []


def cut_off():
    """Has nothing of the log arrive at the gateway that leads for fifteen seconds; clients reach it."""
    index = wait(cluster.leader)[0]
    loyal = Loyal(listeners[index])
    loyal.start()
    cluster.networks[index].cut()

    def mend():
        time.sleep(15)
        loyal.running = False
        loyal.join()
        answers.append(loyal.longest)
        cluster.networks[index].mend()

    return mend


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
    return strike(number, cluster.gateways, cluster.leader, cluster.start_gateway)


def strike_server(number):
    return strike(number, cluster.servers, cluster.stream_leader, cluster.start_server)


FAULTS = [
    ("leading gateway steps down", step_down),
    ("leading gateway, SIGTERM", strike_gateway(signal.SIGTERM)),
    ("leading gateway, SIGKILL", strike_gateway(signal.SIGKILL)),
    ("leading gateway, SIGSTOP", strike_gateway(signal.SIGSTOP)),
    ("leading gateway, cut off the log", cut_off),
    ("leading log server, SIGTERM", strike_server(signal.SIGTERM)),
    ("leading log server, SIGKILL", strike_server(signal.SIGKILL)),
    ("leading log server, SIGSTOP", strike_server(signal.SIGSTOP)),
]

try:
    cluster.start()
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
    print(f"{'without a fault':34} {Writer.take_silence() * 1e3:7.0f} ms without a write at most")
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
            wait(cluster.servers_whole)
            wait(cluster.all_ready)
            wait(cluster.leader)
            time.sleep(1)
        silences.sort()
        print(f"{name:34} {silences[rounds // 2] * 1e3:7.0f} ms, at most {silences[-1] * 1e3:.0f}", flush=True)
        if answers:
            answers.sort()
            text = "  a client that stays with it"
            print(f"{text:34} {answers[rounds // 2] * 1e3:7.0f} ms, at most {answers[-1] * 1e3:.0f} without an answer")
            answers.clear()
    Writer.running = False
    for writer in writers:
        writer.join()
    status, answer = ask(listeners[wait(cluster.leader)[0]], "GET", "/v1/collections/Item?aggregate=@count")
    print(f"{Writer.count} acknowledged, {answer['@count']} there")
    if answer["@count"] < Writer.count:
        sys.exit("Objects are lost.")
finally:
    cluster.end()
