"""Measures a cluster's gateways beside one by itself. Called by Scripts/bench.d/gateways with the programs of the gateway and of the
log's servers, a folder, the seconds of a measurement and thirteen free ports."""

import http.client
import os
import subprocess
import sys
import threading
import time

from local_cluster import LocalCluster, ask, start_gateway, wait

gateway, log_server, folder, seconds = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
ports = [int(port) for port in sys.argv[5:18]]
cluster = LocalCluster(gateway, log_server, folder, ports[:12])
alone = ports[12]
READ = 1_000
first = READ + 1


def processor_time(processes):
    """Returns the seconds that the processes have used."""
    total = 0
    for process in processes:
        with open(f"/proc/{process.pid}/stat") as file:
            fields = file.read().rsplit(") ", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def load(targets, connections, creates):
    """Has wrk ask each of the ports at once; returns the requests a second of all of them, and their median and 99th percentile."""
    global first
    runs = []
    for port in targets:
        variables = dict(os.environ, BENCH_COUNT=str(READ))
        if creates:
            variables["BENCH_FIRST"] = str(first)
            first += 10_000_000
        runs.append(subprocess.Popen(
            ["wrk", "--threads", "1" if connections < 2 else "2", "--connections", str(connections), "--duration", f"{seconds}s",
             "--script", "Scripts/bench.d/gateways.lua", f"http://127.0.0.1:{port}"],
            env=variables, stdout=subprocess.PIPE, text=True))
    rates = []
    for run in runs:
        line = next(line for line in run.communicate()[0].splitlines() if line.startswith("RESULT "))
        rate, p50, p99, errors = (float(number) for number in line.split()[1:])
        if errors:
            sys.exit(f"{int(errors)} answers were errors")
        rates.append((rate, p50, p99))
    return sum(rate for rate, _, _ in rates), max(p50 for _, p50, _ in rates), max(p99 for _, _, p99 in rates)


def measure(name, targets, connections, creates, gateways, servers):
    before = processor_time(gateways), processor_time(servers)
    rate, p50, p99 = load(targets, connections, creates)
    cost = [(after - before) / (rate * seconds) * 1e6
            for after, before in zip((processor_time(gateways), processor_time(servers)), before)]
    print(f"{name:44} {rate:8.0f}/s  p50 {p50 / 1e3:6.2f} ms  p99 {p99 / 1e3:6.2f} ms  gateways {cost[0]:6.1f} us each"
          + (f", log servers {cost[1]:6.1f}" if servers else ""), flush=True)


def measure_all(name, port, gateways, servers):
    for connections in 1, 64, 256:
        measure(f"{name}, creations, {connections} connections", [port], connections, True, gateways, servers)


def watch(port, arrivals):
    """Notes when the changes of the stream arrive, by the objects' keys."""
    client = http.client.HTTPConnection("127.0.0.1", port)
    client.request("GET", "/v1/collections/Item", headers={"Accept": "text/event-stream"})
    answer = client.getresponse()
    if answer.status != 200:
        sys.exit(f"The stream was refused: {answer.status} {answer.read()}")
    arrivals[0] = True
    while line := answer.readline():
        if line.startswith(b"data:") and b'"_id":' in line:
            arrivals[int(line.split(b'"_id":')[1].split(b",")[0].split(b"}")[0])] = time.monotonic()


def lag(leader, follower):
    """Prints how long after their acknowledgements by the leader changes were on a stream of a follower, for 200 a second."""
    global first
    arrivals = {}
    threading.Thread(target=watch, args=(follower, arrivals), daemon=True).start()
    wait(lambda: arrivals)
    client = http.client.HTTPConnection("127.0.0.1", leader)
    acknowledged = {}
    begin = time.monotonic()
    for number in range(seconds * 200):
        client.request("POST", "/v1/collections/Item", f'{{"_id":{first},"text":"a"}}', {"Content-Type": "application/json"})
        if client.getresponse().read() is not None:
            acknowledged[first] = time.monotonic()
        first += 1
        time.sleep(max(0, begin + (number + 1) / 200 - time.monotonic()))
    wait(lambda: acknowledged.keys() <= arrivals.keys())
    lags = sorted(max(0, arrivals[key] - moment) for key, moment in acknowledged.items())
    print(f"{'a change at another gateway':44} p50 {lags[len(lags) // 2] * 1e3:.2f} ms, "
          f"p99 {lags[len(lags) * 99 // 100] * 1e3:.2f}, at most {lags[-1] * 1e3:.2f} after its acknowledgement")


def prepare(port):
    schema = [{"name": "Item", "primaryKey": "_id", "properties": {"_id": "int", "text": "string"}}]
    if ask(port, "PUT", "/v1/schema", schema)[0] != 200:
        sys.exit("The schema was refused.")
    objects = [{"_id": number, "text": "Written to measure."} for number in range(1, READ + 1)]
    status, answer = ask(port, "POST", "/v1/collections/Item", objects, seconds=30)
    if status not in (200, 201):
        sys.exit(f"The objects were refused: {status} {answer}")


process = start_gateway(gateway, f"{folder}/alone", alone)
try:
    wait(lambda: ask(alone, "GET", "/readyz")[0] == 200)
    prepare(alone)
    measure_all("by itself", alone, [process], [])
    measure("by itself, reads, 64 connections", [alone], 64, False, [process], [])
finally:
    process.kill()
    process.wait()
try:
    cluster.start()
    place = wait(cluster.leader)[0]
    leader = cluster.listeners[place]
    others = [port for port in cluster.listeners if port != leader]
    prepare(leader)
    measure_all("the leader", leader, cluster.gateways, cluster.servers)
    measure("a follower, creations, 64 connections", others[:1], 64, True, cluster.gateways, cluster.servers)
    measure("a follower, reads, 64 connections", others[:1], 64, False, cluster.gateways, cluster.servers)
    measure("all three, reads, 22 connections each", cluster.listeners, 22, False, cluster.gateways, cluster.servers)
    lag(leader, others[0])
finally:
    cluster.end()
