"""Reads and changes single elements of collections of 10 and of 100,000: the ratio is what counts.

Usage: map.py URL, of an empty store that this fills."""
import http.client
import json
import statistics
import sys
import time
import urllib.parse

# One connection for all, so that its making is not what is measured.
connection = http.client.HTTPConnection(urllib.parse.urlsplit(sys.argv[1]).netloc)


def send(method, path, value=None):
    content = None if value is None else json.dumps(value).encode()
    connection.request(method, path, content, {"content-type": "application/json"})
    answer = connection.getresponse()
    content = answer.read()
    if answer.status >= 400:
        sys.exit(f"{method} {path}: {content.decode()}")
    return content


def medians(actions, rounds=300):
    """Of the same action on each collection, in turns, so that what else the machine does falls on all."""
    times = [[] for _ in actions]
    for number in range(rounds):
        for action, spent in zip(actions, times):
            start = time.perf_counter()
            action(number)
            spent.append(time.perf_counter() - start)
    return [statistics.median(spent) * 1e6 for spent in times]


def late_page(box, pages):
    """The URL of a page of 5 behind so many pages of a thousand."""
    page = f"{box}/l?limit=1000"
    for _ in range(pages):
        connection.request("GET", page)
        answer = connection.getresponse()
        answer.read()
        page = answer.getheader("link").split("<")[1].split(">")[0]
    return page.replace("limit=1000", "limit=5")


def actions(size):
    box = f"/v1/collections/Box/{size}"
    middle = size // 2
    page = late_page(box, size // 2000)
    return {
        "map: set a key": lambda n: send("PUT", f"{box}/m/k{middle:06}", n),
        "map: set a new key": lambda n: send("PUT", f"{box}/m/n{n}", n),
        "map: get a key": lambda n: send("GET", f"{box}/m/k{middle:06}"),
        "map: remove a key": lambda n: send("DELETE", f"{box}/m/n{n}"),
        "list: append": lambda n: send("POST", f"{box}/l", n),
        "list: insert in the middle": lambda n: send("POST", f"{box}/l?at={middle}", n),
        "list: get in the middle": lambda n: send("GET", f"{box}/l/{middle}"),
        "list: get the last but one": lambda n: send("GET", f"{box}/l/-2"),
        "list: set in the middle": lambda n: send("PUT", f"{box}/l/{middle}", n),
        "list: move the first to the end": lambda n: send("PATCH", f"{box}/l", {"move": {"from": 0, "to": -1}}),
        "list: remove in the middle": lambda n: send("DELETE", f"{box}/l/{middle}"),
        "list: a page of 5 from the middle": lambda n: send("GET", page),
        "set: add": lambda n: send("POST", f"{box}/s", size + n),
        "set: remove": lambda n: send("PATCH", f"{box}/s", {"subtract": [size + n]}),
    }


properties = {"id": "int", "m": "int{}", "l": "int[]", "s": "int<>"}
send("PUT", "/v1/schema", [{"name": "Box", "primaryKey": "id", "properties": properties}])
sizes = (10, 100_000)
for size in sizes:
    values = {f"k{number:06}": number for number in range(size)}
    whole = list(range(size))
    send("POST", "/v1/collections/Box", {"id": size, "m": values, "l": whole, "s": whole})
small, large = map(actions, sizes)
print(f"{'median µs':38}{'of 10':>10}{'of 100,000':>12}{'ratio':>8}")
for name in small:
    short, long = medians([small[name], large[name]])
    print(f"{name:38}{short:10.0f}{long:12.0f}{long / short:8.2f}")
