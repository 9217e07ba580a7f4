"""Asks a server for the files of a web site and for compressed answers, and unpacks these by Python's gzip.

usage: hosting.py PORT FOLDER

FOLDER is the one that the server hosts, with index.html for unknown paths; its class Node has 2,000 objects. Prints "all right".
"""

import gzip
import http.client
import os
import sys

port, folder = int(sys.argv[1]), sys.argv[2]


def ask(path, method="GET", body=None, **fields):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.putrequest(method, path, skip_accept_encoding=True)
    for name, value in fields.items():
        connection.putheader(name.replace("_", "-"), value)
    if body is not None:
        connection.putheader("content-length", str(len(body)))
    connection.endheaders(body)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, content


def put(name, content):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


page = b"<!doctype html><title>Site</title>" + b"<p>text</p>" * 500
large = os.urandom(3 << 20)
put("index.html", page)
put("docs/index.html", b"docs")
put("docs/a b.txt", b"0123456789")
put("large.bin", large)
put(".secret", b"secret")
put(".git/config", b"secret")
put("v1/shadow.txt", b"shadow")
put("empty.css", b"")
put("../outside.txt", b"secret")
os.symlink("../outside.txt", os.path.join(folder, "link.txt"))
os.symlink("docs/a b.txt", os.path.join(folder, "inside.txt"))

# Files, and the page of a folder.
for path in ["/", "/index.html"]:
    status, fields, content = ask(path, accept="text/html")
    assert (status, content) == (200, page), (path, status)
    assert fields["content-type"] == "text/html; charset=utf-8" and fields["x-content-type-options"] == "nosniff"
status, fields, content = ask("/docs?x=1&ticket=2", accept="*/*")
assert (status, fields["location"]) == (308, "docs/?x=1&ticket=2"), (status, fields)
assert ask("/index.html?ticket=ST-1")[2] == page and ask("/?ticket=ST-1", accept="text/html")[2] == page
assert ask("/docs/")[2] == b"docs"
status, fields, content = ask("/docs/a%20b.txt")
assert (status, content, fields["content-type"]) == (200, b"0123456789", "text/plain; charset=utf-8")
assert ask("/inside.txt")[2] == b"0123456789"
assert ask("/empty.css")[::2] == (200, b"")
assert ask("/large.bin")[2] == large

# Not everything is shown, and the API is where it was.
for path in ["/.secret", "/.git/config", "/link.txt", "/docs/..%2f..%2foutside.txt", "/%2e%2e/outside.txt",
             "/../outside.txt", "//etc/passwd", "/docs//a%20b.txt", "/index.html/", "/docs/a%20b.txt/x", "/a%00b", "/nothing"]:
    status, _, content = ask(path)
    assert status in (400, 404) and b"secret" not in content, (path, status, content)
assert ask("/v1/shadow.txt")[0] == 404 and ask("/v1/nothing", accept="text/html")[0] == 404
assert ask("/v1/collections/Node/1")[0] == 200 and ask("/livez")[0] == 200
assert ask("/console", accept="text/html")[0] == 200
status, _, content = ask("/some/where", accept="text/html,*/*")
assert (status, content) == (200, page), status
assert ask("/some/where", "POST", b"{}")[0] == 404

# HEAD, entity tags, ranges.
status, fields, content = ask("/large.bin", "HEAD")
assert (status, content) == (200, b"") and fields["accept-ranges"] == "bytes"
tag = ask("/docs/a%20b.txt")[1]["etag"]
assert ask("/docs/a%20b.txt", if_none_match=tag)[0] == 304
put("docs/a b.txt", b"0123456780")
os.utime(os.path.join(folder, "docs/a b.txt"), (1, 1))
assert ask("/docs/a%20b.txt", if_none_match=tag)[0] == 200
tag = ask("/docs/a%20b.txt")[1]["etag"]
for wanted, expected, content_range in [
    ("bytes=0-3", b"0123", "bytes 0-3/10"), ("bytes=8-", b"80", "bytes 8-9/10"), ("bytes=-2", b"80", "bytes 8-9/10"),
    ("bytes=2-99", b"23456780", "bytes 2-9/10"), ("bytes=-99", b"0123456780", "bytes 0-9/10"),
]:
    status, fields, content = ask("/docs/a%20b.txt", range=wanted)
    assert (status, content, fields["content-range"]) == (206, expected, content_range), (wanted, status, fields)
for wanted in ["bytes=10-", "bytes=-0"]:
    status, fields, content = ask("/docs/a%20b.txt", range=wanted)
    assert (status, content, fields["content-range"]) == (416, b"", "bytes */10"), (wanted, status)
for wanted in ["bytes=3-1", "bytes=0-1,3-4", "lines=1-2", "bytes=a-b", "bytes=--1", "bytes=99999999999999999999-"]:
    assert ask("/docs/a%20b.txt", range=wanted)[::2] == (200, b"0123456780"), wanted
assert ask("/docs/a%20b.txt", range="bytes=0-1", if_range=tag)[0] == 206
assert ask("/docs/a%20b.txt", range="bytes=0-1", if_range='"other"')[0] == 200
status, fields, content = ask("/large.bin", range="bytes=1000000-2999999")
assert (content, fields["content-length"]) == (large[1000000:3000000], "2000000"), fields
status, fields, content = ask("/large.bin", method="HEAD")
assert (status, content, fields["content-length"]) == (200, b"", str(len(large))), fields

# Compressed contents.
for path, accepted in [("/", "gzip"), ("/", "br, gzip;q=0.5"), ("/", "*"), ("/v1/collections/Node?limit=1000", "gzip, deflate, br"),
                       ("/openapi.yaml", "gzip"), ("/metrics", "gzip"), ("/console/Page/style.css", "GZIP")]:
    plain = ask(path)
    status, fields, content = ask(path, accept_encoding=accepted)
    assert status == 200 and fields["content-encoding"] == "gzip" and "accept-encoding" in fields["vary"], (path, fields)
    assert len(content) * 3 < len(plain[2]) and int(fields["content-length"]) == len(content), path
    assert gzip.decompress(content) == plain[2] or path == "/metrics", path
for path, accepted in [("/", "identity"), ("/", "gzip;q=0"), ("/", "br"), ("/docs/a%20b.txt", "gzip"), ("/large.bin", "gzip"),
                       ("/v1/collections/Node/1", "gzip"), ("/", "*;q=0"), ("/", "gzip;q=0, *")]:
    assert "content-encoding" not in ask(path, accept_encoding=accepted)[1], (path, accepted)
assert "content-encoding" not in ask("/", accept_encoding="gzip", range="bytes=0-2000")[1]
status, fields, content = ask("/v1/collections/Node?limit=1000", "HEAD", accept_encoding="gzip")
assert status == 200 and content == b"" and "content-encoding" not in fields, fields

# A tag of a compressed content is that of the content.
wide = ("x" * 5000).encode()
assert ask("/v1/collections/Node/1", "PATCH", b'{"label":"' + wide + b'"}', content_type="application/merge-patch+json")[0] == 200
status, fields, content = ask("/v1/collections/Node/1", accept_encoding="gzip")
assert fields["etag"].endswith('-gzip"') and wide in gzip.decompress(content), fields
plain = fields["etag"].replace("-gzip", "")
for condition, told in [(fields["etag"], fields["etag"]), (plain, plain), (f'"0", {fields["etag"]}', fields["etag"])]:
    status, answer, _ = ask("/v1/collections/Node/1", if_none_match=condition)
    assert status == 304 and answer["etag"] == told, (condition, answer)
assert ask("/v1/collections/Node/1", "PATCH", b'{"label":"y"}', if_match=fields["etag"], content_type="application/merge-patch+json")[0] == 200
assert ask("/v1/collections/Node/1", "PATCH", b'{"label":"z"}', if_match=fields["etag"], content_type="application/merge-patch+json")[0] == 412
print("all right")
