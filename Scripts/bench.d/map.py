"""Sets one key, and inserts and removes one element, in collections of 10 and of 100,000: the ratio is what counts.

Usage: map.py URL, of an empty store that this fills."""
import json
import statistics
import sys
import time
import urllib.request

base = sys.argv[1]


def send(method, path, value=None):
    content = None if value is None else json.dumps(value).encode()
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(base + path, content, headers, method=method)
    with urllib.request.urlopen(request) as answer:
        return answer.read()


def median(action, rounds=200):
    times = []
    for number in range(rounds):
        start = time.perf_counter()
        action(number)
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


properties = {"id": "int", "m": "int{}", "l": "int[]"}
send("PUT", "/v1/schema", [{"name": "Box", "primaryKey": "id", "properties": properties}])
results = {}
for size in (10, 100_000):
    values = {f"k{number:06}": number for number in range(size)}
    send("POST", "/v1/collections/Box", {"id": size, "m": values, "l": list(range(size))})
    box = f"/v1/collections/Box/{size}"
    middle = size // 2
    actions = {
        "map: set a key": lambda n: send("PUT", f"{box}/m/k{middle:06}", n),
        "map: get a key": lambda n: send("GET", f"{box}/m/k{middle:06}"),
        "list: insert in the middle": lambda n: send("POST", f"{box}/l?at={middle}", n),
        "list: get in the middle": lambda n: send("GET", f"{box}/l/{middle}"),
        "list: move the first to the end": lambda n: send("PATCH", f"{box}/l", {"move": {"from": 0, "to": -1}}),
        "list: remove in the middle": lambda n: send("DELETE", f"{box}/l/{middle}"),
    }
    for name, action in actions.items():
        results.setdefault(name, []).append(median(action))
print(f"{'median µs':34}{'of 10':>10}{'of 100,000':>12}{'ratio':>8}")
for name, (small, large) in results.items():
    print(f"{name:34}{small:10.0f}{large:12.0f}{large / small:8.2f}")
