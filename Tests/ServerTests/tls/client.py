"""Speaks TLS to the server as an independent implementation, and prints what comes of it.

    client.py PORT
"""

import socket
import ssl
import sys

PORT = int(sys.argv[1])
REQUEST = "GET {} HTTP/1.1\r\nhost: localhost\r\n{}\r\n"


def connect(version=None, protocols=("http/1.1",)):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    if version:
        context.minimum_version = context.maximum_version = version
    if protocols:
        context.set_alpn_protocols(list(protocols))
    return context.wrap_socket(socket.create_connection(("127.0.0.1", PORT), 10))


def name(connection):
    der = connection.getpeercert(True)
    return next(name for name in ("first", "second") if name.encode() + b".test" in der)


def read(connection):
    """One response; its content."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += connection.recv(1)
    length = next(int(line[15:]) for line in head.split(b"\r\n") if line.startswith(b"content-length:"))
    content = b""
    while len(content) < length:
        content += connection.recv(length - len(content))
    return content


def get(connection, path, fields=""):
    connection.sendall(REQUEST.format(path, fields).encode())
    return read(connection)


def attempt(**arguments):
    try:
        with connect(**arguments) as connection:
            return f"{connection.version()} {connection.selected_alpn_protocol()}"
    except (ssl.SSLError, OSError) as error:
        return f"refused {getattr(error, 'reason', None) or 'closed'}"


print("1.3:", attempt(version=ssl.TLSVersion.TLSv1_3))
print("1.2:", attempt(version=ssl.TLSVersion.TLSv1_2))
print("1.1:", attempt(version=ssl.TLSVersion.TLSv1_1).split()[0])
print("no ALPN:", attempt(protocols=()))
print("only h2:", attempt(protocols=("h2",)).split()[0])

with connect() as connection:
    print("content:", get(connection, "/hello").decode(), get(connection, "/later").decode())
    print("large:", len(get(connection, "/large")))
    connection.sendall((REQUEST.format("/1", "") + REQUEST.format("/2", "")).encode())
    print("pipelined:", read(connection).decode(), read(connection).decode())
    body = b"x" * 300_000
    connection.sendall(f"POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body)
    print("echo:", read(connection) == body)
    print("secure:", get(connection, "/secure").decode())
    print("last:", get(connection, "/hello", "connection: close\r\n").decode())
    # Without close_notify, recv would raise ssl.SSLEOFError.
    print("end:", connection.recv(1))

old = connect()
print("certificate:", name(old), get(old, "/reload").decode(), get(old, "/hello").decode())
print("certificate:", name(connect()))

plain = socket.create_connection(("127.0.0.1", PORT), 10)
plain.sendall(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n")
print("plain:", b"HTTP" in plain.recv(100))
