"""Helps Scripts/bench.d/scale.

  objects FROM COUNT            writes objects of class Item as NDJSON
  start PORT LOG COMMAND…       starts a server; prints its process and the milliseconds to its first answer
"""

import http.client
import subprocess
import sys
import time


def objects(first, count):
    for start in range(first, first + count, 1000):
        sys.stdout.write(
            "".join(
                '{"id":%d,"name":"Item number %d","rank":%d,"price":%d.25,"on":true,"at":"2024-01-02T03:04:05Z"}\n'
                % (i, i, (i * 7919) % 1000003, i % 1000)
                for i in range(start, min(start + 1000, first + count))
            )
        )


def start(port, log, command):
    began = time.monotonic()
    with open(log, "w") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    while process.poll() is None and time.monotonic() - began < 60:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/v1/collections/Item/1")
            if connection.getresponse().status == 200:
                print(process.pid, f"{(time.monotonic() - began) * 1000:.1f}", flush=True)
                return
        except OSError:
            time.sleep(0.001)
        finally:
            connection.close()
    sys.exit("It did not start.")


if sys.argv[1] == "objects":
    objects(int(sys.argv[2]), int(sys.argv[3]))
else:
    start(int(sys.argv[2]), sys.argv[3], sys.argv[4:])
