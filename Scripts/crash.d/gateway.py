"""A gateway under test: its options on the command line, its store, and its process."""

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys


def options(names=(), **counts):
    """What the command line says: texts by names, counts by names and defaults, the program, a seed (drawn unless given)."""
    parser = argparse.ArgumentParser()
    for name in names:
        parser.add_argument(f"--{name}", required=True)
    for name, default in counts.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--program", required=True)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    return parser.parse_args()


def surroundings(environment=None):
    """The environment of a gateway: ours without what would be a setting, or none that it knows, and what is given."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GATEHOUSE_")}
    return {**kept, **(environment or {})}


def make_store(program, folder, schema, data=None):
    """Makes a store with that schema, in the folder unless another place is given, and says where."""
    with open(f"{folder}/schema.json", "w", encoding="utf-8") as file:
        json.dump(schema, file)
    data = data or f"{folder}/data"
    subprocess.run(
        [program, "schema", "apply", f"{folder}/schema.json", "--data", data], check=True,
        stderr=subprocess.DEVNULL, env=surroundings())
    return data


class Gateway:
    """Serves a store on loopback, on a free port unless one is given, as soon as it is made."""

    def __init__(self, program, data, *settings, port=0, log=subprocess.STDOUT, environment=None):
        self.process = subprocess.Popen(
            [program, "serve", "--data", data, "--listen", f"127.0.0.1:{port}", *settings],
            stdout=subprocess.PIPE, stderr=log, text=True, env=surroundings(environment))
        said = ""
        while "Ctrl-C" not in said:
            line = self.process.stdout.readline()
            if not line:
                sys.exit(f"the server did not start: {said}")
            said += line
        self.port = int(re.search(r"http://127\.0\.0\.1:(\d+)", said).group(1))

    def kill(self):
        self.end(signal.SIGKILL)

    def end(self, number):
        """Sends that signal, and waits for the end."""
        self.process.send_signal(number)
        self.process.wait()
        self.process.stdout.close()
