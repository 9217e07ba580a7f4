"""A cluster on this machine: three NATS servers and three gateways, for the scripts that measure one."""

import asyncio
import http.client
import json
import os
import subprocess
import sys
import threading
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


class Network:
    """The way of a gateway to the log's servers: a port before each, behind which nothing arrives while it is cut."""

    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)

    def __init__(self, targets):
        if not Network.thread.is_alive():
            Network.thread.start()
        self.whole = asyncio.Event()
        self.whole.set()
        ends = [asyncio.run_coroutine_threadsafe(self.listen(port), Network.loop) for port in targets]
        self.ports = [end.result() for end in ends]

    async def listen(self, target):
        async def connect(reader, writer):
            try:
                other_reader, other_writer = await asyncio.open_connection("127.0.0.1", target)
                await asyncio.gather(self.carry(reader, other_writer), self.carry(other_reader, writer))
            except OSError:
                writer.close()

        server = await asyncio.start_server(connect, "127.0.0.1", 0)
        return server.sockets[0].getsockname()[1]

    async def carry(self, reader, writer):
        try:
            while piece := await reader.read(1 << 16):
                await self.whole.wait()
                writer.write(piece)
                await writer.drain()
        finally:
            writer.close()

    def cut(self):
        Network.loop.call_soon_threadsafe(self.whole.clear)

    def mend(self):
        Network.loop.call_soon_threadsafe(self.whole.set)


class LocalCluster:
    """The servers, of which each can be started again by itself.

    gateway, log_server: their programs; folder: where their files are; ports: twelve that nobody uses; can_part: whether the
    network between a gateway and the log can be cut.
    """

    def __init__(self, gateway, log_server, folder, ports, can_part=False):
        self.networks = [Network(ports[:3]) for _ in range(3)] if can_part else None
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
                # Gateways are told of no other addresses than they have.
                f'cluster {{ name: c, no_advertise: true, listen: "127.0.0.1:{self.routes[index]}", routes: [{others}] }}\n'
            )
        self.servers[index] = subprocess.Popen([self.log_server, "-c", f"{path}.conf", "-l", f"{path}.log"])

    def start_gateway(self, index):
        ports = self.networks[index].ports if self.networks else self.clients
        log = ",".join(f"127.0.0.1:{port}" for port in ports)
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
