"""A cluster on this machine: three NATS servers and three gateways, for the scripts that measure one."""

import http.client
import json
import os
import subprocess
import sys
import time

PATIENCE = 60


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
    sys.exit(f"{condition.__name__} did not come true in {PATIENCE} seconds")


class LocalCluster:
    """The servers, of which each can be started again by itself.

    gateway, log_server: their programs; folder: where their files are; ports: twelve that nobody uses.
    """

    def __init__(self, gateway, log_server, folder, ports):
        self.gateway, self.log_server, self.folder = gateway, log_server, folder
        self.clients, self.monitors, self.routes, self.listeners = ports[:3], ports[3:6], ports[6:9], ports[9:12]
        self.servers, self.gateways = [None] * 3, [None] * 3

    def start(self):
        for index in range(3):
            self.start_server(index)
        wait(self.servers_whole)
        for index in range(3):
            self.start_gateway(index)
        wait(self.all_ready)

    def end(self):
        for process in self.gateways + self.servers:
            if process and process.poll() is None:
                process.kill()
                process.wait()

    def start_server(self, index):
        path = f"{self.folder}/n{index}"
        with open(f"{path}.conf", "w") as file:
            others = ", ".join(f'"nats://127.0.0.1:{port}"' for port in self.routes)
            file.write(
                f'server_name: n{index}\nlisten: "127.0.0.1:{self.clients[index]}"\n'
                f'http: "127.0.0.1:{self.monitors[index]}"\n'
                f'jetstream {{ store_dir: "{path}", sync_interval: always, max_file_store: 10GB }}\n'
                f'cluster {{ name: c, listen: "127.0.0.1:{self.routes[index]}", routes: [{others}] }}\n'
            )
        self.servers[index] = subprocess.Popen([self.log_server, "-c", f"{path}.conf", "-l", f"{path}.log"])

    def start_gateway(self, index):
        log = ",".join(f"127.0.0.1:{port}" for port in self.clients)
        variables = dict(os.environ, GATEHOUSE_CLUSTER=f"nats://{log}?monitor={self.monitors[0]}")
        self.gateways[index] = start_gateway(
            self.gateway, f"{self.folder}/g{index}", self.listeners[index], variables)

    def servers_whole(self):
        return all(ask(port, "GET", "/healthz")[0] == 200 for port in self.monitors)

    def all_ready(self):
        return all(ask(port, "GET", "/readyz")[0] == 200 for port in self.listeners)

    def leader(self):
        """Returns a list of the place of the gateway that leads; nothing where none says so."""
        for index, port in enumerate(self.listeners):
            state = ask(port, "GET", "/v1/cluster")[1]
            if state and state["role"] == "leader":
                return [index]

    def stream_leader(self):
        """Returns a list of the place of the log server that leads the stream; nothing where none says so."""
        for port in self.monitors:
            state = ask(port, "GET", "/jsz?streams=true&accounts=true")[1]
            for account in (state or {}).get("account_details", []):
                for stream in account.get("stream_detail", []):
                    if stream["name"] == "gatehouse-gatehouse" and stream.get("cluster", {}).get("leader"):
                        return [int(stream["cluster"]["leader"][1:])]


def start_gateway(program, folder, port, variables=None):
    with open(f"{folder}.log", "a") as output:
        return subprocess.Popen(
            [program, "serve", "--data", folder, "--listen", f"127.0.0.1:{port}", "--access-log", "off"],
            env=variables, stdout=output, stderr=output)
