"""Simulates a cluster of many nodes with the costs that one machine has shown, and prints what each node and each server of the
log has to do, how long writes take, and what breaks first. Called by Scripts/simulate cluster.

A partition is a database with a log of its own: one node leads it, the next ones follow. Its leader has one group of writes under
way at a time; what comes meanwhile is the next group. A group is executed on a core of the leader, written and synced by three
servers of a log cluster, acknowledged when two have it, and applied on a core of each follower. Cores and servers are queues.
"""

import argparse
import heapq
import math
import random

# Microseconds of one core, by the benchmarks on two cores: what a second run on another machine shows replaces them.
COSTS = {
    "execute": 7.3,  # a creation in a group, bench capture, 256 clients, alone
    "capture": 1.3,  # the same with a log, less that without
    "group": 40.0,  # BEGIN, COMMIT and the waking of those who wait, bench capture, one client
    "apply": 10.4,  # a creation at a follower
    "request": 13.0,  # a creation over HTTP beside its execution
    "read": 6.0,  # bench server
    "event": 2.5,  # an event to a subscriber, bench events fanout
    "message": 580.0,  # an append at all three servers of the log, 256 bytes, 64 in flight
    "kilobyte": 79.0,  # each further kilobyte of it
}
CREATION_BYTES = 309  # of a creation in an entry, bench capture
ENTRY_BYTES = 512 << 10
OBJECT_BYTES = 500  # of a creation in a file, its share of indexes and log included
SUBSCRIBER_BYTES = 8 << 10  # a connection and its queue
ROUND_TRIP = 200.0  # between machines of one site, microseconds
SYNC = 270.0  # of a disk, microseconds; each server has so many under way at once:
SYNCS = 8
LIMIT = 100_000.0  # a cluster is broken whose writes take longer than this, 99 of 100, microseconds


class Queue:
    """Cores, or a disk: whoever comes first is served first."""

    def __init__(self, width):
        self.free = [0.0] * width
        self.busy = 0.0

    def serve(self, now, cost):
        start = max(now, heapq.heappop(self.free))
        heapq.heappush(self.free, start + cost)
        self.busy += cost
        return start + cost

    def load(self, duration):
        return self.busy / (len(self.free) * duration)


class Cluster:
    def __init__(self, options, rates, background, alive=None):
        self.options, self.rates, self.background = options, rates, background
        self.random = random.Random(options.seed)
        free = max(1, options.cores - math.ceil(background))
        self.nodes = [Queue(free) for _ in range(options.nodes)]
        self.alive = alive or list(range(options.nodes))
        self.writers = [Queue(1) for _ in rates]
        self.logs = [[(Queue(options.log_cores), Queue(SYNCS)) for _ in range(3)] for _ in range(options.log_clusters)]
        self.waits, self.lags = [], []
        self.groups = self.largest = 0
        self.written = [0] * len(rates)
        self.events, self.order = [], 0

    def at(self, time, step, *arguments):
        self.order += 1
        heapq.heappush(self.events, (time, self.order, step, arguments))

    def count(self, mean):
        """A Poisson number."""
        if mean > 50:
            return max(0, round(self.random.gauss(mean, math.sqrt(mean))))
        limit, product, count = math.exp(-mean), self.random.random(), 0
        while product > limit:
            product *= self.random.random()
            count += 1
        return count

    def members(self, partition):
        return [self.alive[(partition + copy) % len(self.alive)] for copy in range(self.options.copies)]

    def begin(self, now, partition, since, backlog):
        rate = self.rates[partition] / 1e6
        backlog += self.count(rate * (now - since))
        if backlog == 0:
            later = now + self.random.expovariate(rate)
            return self.at(later, self.begin, partition, later, 1)
        size = min(backlog, ENTRY_BYTES // CREATION_BYTES)
        cost = COSTS["group"] + size * (COSTS["execute"] + COSTS["capture"])
        leader = self.nodes[self.members(partition)[0]]
        done = self.writers[partition].serve(leader.serve(now, cost) - cost, cost)
        self.at(done + ROUND_TRIP / 2, self.publish, partition, size, now, since, backlog - size)

    def publish(self, now, partition, size, start, since, backlog):
        kilobytes = size * CREATION_BYTES / 1024
        cost = (COSTS["message"] + COSTS["kilobyte"] * kilobytes) / 3
        servers = self.logs[partition % len(self.logs)]
        synced = sorted(disk.serve(cores.serve(now, cost), SYNC) for cores, disk in servers)
        self.at(synced[1] + ROUND_TRIP / 2, self.acknowledge, partition, size, start, since, backlog)

    def acknowledge(self, now, partition, size, start, since, backlog):
        self.groups += 1
        self.largest = max(self.largest, size)
        self.written[partition] += size
        # A rest that a full entry has left has waited for more than one group.
        rate = self.rates[partition] / 1e6
        oldest = start - since + backlog / rate
        for _ in range(3):
            self.waits.append(now - start + self.random.random() * oldest)
        for node in self.members(partition)[1:]:
            self.at(now + ROUND_TRIP / 2, self.apply, node, size, now)
        self.begin(now, partition, start, backlog)

    def apply(self, now, node, size, acknowledged):
        self.lags.append(self.nodes[node].serve(now, COSTS["group"] + size * COSTS["apply"]) - acknowledged)

    def run(self, seconds):
        duration = seconds * 1e6
        for partition, rate in enumerate(self.rates):
            start = self.random.expovariate(rate / 1e6)
            self.at(start, self.begin, partition, start, 1)
        while self.events and self.events[0][0] < duration:
            time, _, step, arguments = heapq.heappop(self.events)
            step(time, *arguments)
        self.duration = duration
        return self

    def loads(self):
        """The busiest of each kind, with its load: 1 is all of it."""
        reserved = self.options.cores - len(self.nodes[0].free)
        return {
            "cores of a node": max(
                (node.busy / self.duration + min(self.background, reserved)) / self.options.cores for node in self.nodes),
            "one partition's writer": max(writer.load(self.duration) for writer in self.writers),
            "cores of a log server": max(cores.load(self.duration) for log in self.logs for cores, _ in log),
            "disk of a log server": max(disk.load(self.duration) for log in self.logs for _, disk in log),
        }

    def log_cores(self):
        return sum(cores.busy for log in self.logs for cores, _ in log) / self.duration

    def quantile(self, values, part):
        values = sorted(values)
        return values[min(len(values) - 1, int(len(values) * part))] / 1000 if values else math.inf

    @property
    def is_broken(self):
        late = self.quantile(self.waits, 0.99) * 1000 > LIMIT
        behind = any(
            rate > 1000 and written / (self.duration / 1e6) < 0.85 * rate for rate, written in zip(self.rates, self.written))
        return late or behind or self.background > self.options.cores - 1


def background(options, factor=1.0, reads=1.0):
    """The cores that reads, requests and subscribers take on each node."""
    requests = options.writes * options.partitions / options.nodes * COSTS["request"] * factor
    events = options.events * options.subscribers / options.nodes * COSTS["event"]
    return (requests + options.reads * reads * COSTS["read"] + events) / 1e6


def show(name, cluster):
    seconds = cluster.duration / 1e6
    loads = cluster.loads()
    first = max(loads, key=loads.get)
    print(
        f"{name:<34} {sum(cluster.written) / seconds:>9,.0f} {cluster.groups / seconds:>8,.0f} {cluster.largest:>7,} "
        f"{cluster.quantile(cluster.waits, 0.5):>7.1f} {cluster.quantile(cluster.waits, 0.99):>7.1f} "
        f"{cluster.quantile(cluster.lags, 0.99):>7.1f} {cluster.log_cores():>6.1f}   "
        f"{first} {loads[first]:.0%}{'  BROKEN' if cluster.is_broken else ''}", flush=True)
    return cluster


def grow(name, options, make):
    """Doubles, then halves the distance, until what bears the load is known to a tenth."""
    low, high = 1.0, 2.0
    while not make(high).is_broken and high < 1024:
        low, high = high, high * 2
    while high / low > 1.1:
        middle = (low + high) / 2
        if make(middle).is_broken:
            high = middle
        else:
            low = middle
    show(f"{name} x {low:.1f}", make(low))
    show(f"{name} x {high:.1f}", make(high))


def main():
    parser = argparse.ArgumentParser(prog="Scripts/simulate cluster", description=__doc__.split("\n\n")[0])
    for name, value, text in [
        ("nodes", 100, "gateways"), ("partitions", 100, "databases, each with a log"), ("copies", 3, "nodes that have one"),
        ("objects", 10_000_000, "objects of a partition"), ("writes", 10_000, "creations per second and partition"),
        ("reads", 50_000, "reads per second and node"), ("subscribers", 1_000_000, "open streams"),
        ("events", 10, "events per second and stream"), ("cores", 16, "cores of a node"),
        ("log-clusters", 4, "clusters of three log servers"), ("log-cores", 8, "cores of a log server"), ("seed", 1, "")]:
        parser.add_argument(f"--{name}", type=int, default=value, metavar="N", help=f"{text} ({value:,})")
    parser.add_argument("--seconds", type=float, default=0.5, help="that are simulated (0.5)")
    options = parser.parse_args()

    stored = options.objects * options.partitions * options.copies / options.nodes
    load = background(options)
    entry_rate = options.writes * options.partitions * CREATION_BYTES / 1e6
    print(f"{options.nodes} nodes, {options.partitions * options.objects:,} objects in {options.partitions} partitions")
    print(f"a node: {stored:,.0f} objects, {stored * OBJECT_BYTES / 1e9:.0f} GB; {load:.1f} cores for requests, reads and events; "
          f"{options.subscribers // options.nodes:,} streams, {options.subscribers / options.nodes * SUBSCRIBER_BYTES / 1e6:.0f} MB")
    print(f"the log: {entry_rate:.0f} MB/s, three times stored, and {options.copies - 1} times read\n")
    print(f"{'':<34} {'writes/s':>9} {'groups/s':>8} {'largest':>7} {'p50 ms':>7} {'p99 ms':>7} {'lag p99':>7} {'log':>6}   what has most to do")

    even = [options.writes] * options.partitions

    def scaled(factor):
        return Cluster(options, [rate * factor for rate in even], background(options, factor)).run(options.seconds)

    def hot(factor):
        return Cluster(options, [options.writes * factor] + even[1:], load).run(options.seconds)

    def read(factor):
        return Cluster(options, even, background(options, reads=factor)).run(options.seconds)

    show("as said", scaled(1))
    alive = list(range(1, options.nodes))
    show("one node lost", Cluster(options, even, load * options.nodes / len(alive), alive).run(options.seconds))
    grow("all writes", options, scaled)
    grow("writes of one partition", options, hot)
    grow("reads", options, read)


main()
