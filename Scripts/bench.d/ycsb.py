"""What Scripts/bench ycsb needs beside the load: objects of YCSB's shape for either system, and the time of a sync.

ycsb.py schema                                 prints our schema
ycsb.py objects COUNT                          prints objects, a line each
ycsb.py collection URL EMAIL PASSWORD          creates the collection of a PocketBase
ycsb.py rows DATABASE OBJECTS                  fills its table while it is stopped
ycsb.py sync FOLDER                            prints the median of a written page and its sync on that disk, in microseconds
"""

import json
import os
import random
import sqlite3
import statistics
import sys
import time
import urllib.request

FIELDS = [f"field{i}" for i in range(10)]


def schema():
    print(json.dumps([{
        "name": "Usertable", "primaryKey": "_id",
        "properties": {"_id": "string", **{name: "string" for name in FIELDS}}}]))


def objects(count):
    generator = random.Random(7)
    for number in range(int(count)):
        values = {name: "".join(generator.choices("abcdefghijklmnopqrstuvwxyz", k=100)) for name in FIELDS}
        print(json.dumps({"_id": f"user{number:011}", **values}))


def post(url, body, token=None):
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"Content-Type": "application/json", "Authorization": token or ""})
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)


def collection(url, email, password):
    session = post(
        f"{url}/api/collections/_superusers/auth-with-password", {"identity": email, "password": password})
    rules = {"listRule": "", "viewRule": "", "createRule": "", "updateRule": ""}
    fields = [{"name": name, "type": "text"} for name in FIELDS]
    post(f"{url}/api/collections", {"name": "Usertable", "type": "base", "fields": fields, **rules}, session["token"])


def rows(database, lines):
    connection = sqlite3.connect(database)
    with connection, open(lines, encoding="utf-8") as file:
        connection.executemany(
            f"INSERT INTO Usertable (id, {', '.join(FIELDS)}) VALUES ({', '.join('?' * 11)})",
            (list(json.loads(line).values()) for line in file))
    connection.close()


def sync(folder):
    page, times = os.urandom(4096), []
    file = os.open(f"{folder}/sync", os.O_RDWR | os.O_CREAT)
    try:
        os.pwrite(file, page * 256, 0)
        os.fsync(file)
        for number in range(200):
            start = time.perf_counter()
            os.pwrite(file, page, number * 4096)
            os.fdatasync(file)
            times.append(time.perf_counter() - start)
    finally:
        os.close(file)
    print(f"{statistics.median(times) * 1e6:.0f}")


{"collection": collection, "objects": objects, "rows": rows, "schema": schema, "sync": sync}[sys.argv[1]](*sys.argv[2:])
