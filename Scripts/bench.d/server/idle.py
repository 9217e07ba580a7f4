"""Makes connections, one request on each, and keeps them open: then says so by a file: idle.py PORT COUNT FILE"""

import resource
import socket
import sys
import time

port, count = int(sys.argv[1]), int(sys.argv[2])
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
connections = []
for index in range(count):
    # 127.0.0.0/8 is all loopback: more addresses have more ports.
    connection = socket.create_connection(("127.0.0.1", port), 10, (f"127.0.0.{2 + index % 8}", 0))
    connection.sendall(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")
    connections.append(connection)
for connection in connections:
    connection.recv(4096)
open(sys.argv[3], "w").close()
time.sleep(3600)
