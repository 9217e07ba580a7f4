"""Random JSON Patches, merge patches and field operators, sent to a server and performed by a model of plain Python:
prints the first request whose outcome differs, and fails."""

import argparse
import copy
import http.client
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time

INT_MAX = 2**63 - 1
KEYS = ["a", "b", "~", "/", "~1", "0", "1", "-", "01", "", "é", "e\u0301", "x y"]

SCHEMA = [
    {"name": "D", "primaryKey": "_id", "properties": {
        "_id": "int", "m": "mixed", "n": "int?", "r": {"type": "int", "default": 0}, "s": "string?",
        "l": "int[]", "o": "string?[]", "t": "string<>", "p": "int{}", "q": "string?{}",
        "e": "E?", "f": "E[]", "g": "E{}"}},
    {"name": "E", "embedded": True, "properties": {"a": "int?", "l": "int[]", "p": "int{}", "e": "E?"}},
]

# Types: a name, then what it is made of.
EMBEDDED = ("object", {
    "a": ("int", True), "l": ("list", ("int", False)), "p": ("map", ("int", False)), "e": None})
EMBEDDED[1]["e"] = ("optional", EMBEDDED)
ROOT = ("object", {
    "_id": ("int", False), "m": ("mixed",), "n": ("int", True), "r": ("int", False), "s": ("string", True),
    "l": ("list", ("int", False)), "o": ("list", ("string", True)), "t": ("set", ("string", False)),
    "p": ("map", ("int", False)), "q": ("map", ("string", True)), "e": ("optional", EMBEDDED),
    "f": ("list", EMBEDDED), "g": ("map", ("optional", EMBEDDED))})


class Failure(Exception):
    """The request is refused."""


# Values of a type

def fits(value, kind):
    """The value as the store has it, or Failure."""
    name = kind[0]
    if name == "mixed":
        return copy.deepcopy(value)
    if name == "optional":
        return None if value is None else fits(value, kind[1])
    if name in ("int", "string"):
        if value is None and kind[1]:
            return None
        is_int = isinstance(value, int) and not isinstance(value, bool) and -INT_MAX - 1 <= value <= INT_MAX
        if not (is_int if name == "int" else isinstance(value, str)):
            raise Failure
        return value
    if name == "list":
        return [fits(element, kind[1]) for element in ensure(value, list)]
    if name == "set":
        return sorted({fits(element, kind[1]) for element in ensure(value, list)}, key=str.encode)
    if name == "map":
        return {key: fits(element, kind[1]) for key, element in ensure(value, dict).items()}
    members = ensure(value, dict)
    if set(members) - set(kind[1]):
        raise Failure
    return {key: fits(members[key], part) if key in members else empty(part) for key, part in kind[1].items()}


def ensure(value, kind):
    if not isinstance(value, kind):
        raise Failure
    return value


def empty(kind):
    name = kind[0]
    if name in ("list", "set"):
        return []
    if name == "map":
        return {}
    if name in ("int", "string") and not kind[1]:
        raise Failure
    return None


def step(kind, token):
    """The type of what a token leads to."""
    name = kind[0]
    if name == "optional":
        kind, name = kind[1], kind[1][0]
    if name == "mixed":
        if "." in token or token.startswith("$"):
            raise Failure
        return kind
    if name == "object":
        if token not in kind[1]:
            raise Failure
        return kind[1][token]
    if name in ("list", "set"):
        if token != "-" and index(token) is None:
            raise Failure
        return kind[1]
    if name == "map":
        return kind[1]
    raise Failure


def type_at(tokens):
    kind = ROOT
    for token in tokens:
        kind = step(kind, token)
    return kind


def index(token):
    return int(token) if token.isascii() and token.isdigit() and (token == "0" or token[0] != "0") else None


# RFC 6901, RFC 6902

def get(value, tokens):
    for token in tokens:
        if isinstance(value, dict) and token in value:
            value = value[token]
        elif isinstance(value, list) and index(token) is not None and index(token) < len(value):
            value = value[index(token)]
        else:
            raise Failure
    return value


def add(root, tokens, value):
    holder, token = get(root, tokens[:-1]), tokens[-1]
    if isinstance(holder, dict):
        holder[token] = value
    elif isinstance(holder, list):
        place = len(holder) if token == "-" else index(token)
        if place is None or place > len(holder):
            raise Failure
        holder.insert(place, value)
    else:
        raise Failure


def remove(root, tokens):
    value = get(root, tokens)
    holder, token = get(root, tokens[:-1]), tokens[-1]
    kind = type_at(tokens[:-1])
    kind = kind[1] if kind[0] == "optional" else kind
    if kind[0] == "object":
        # A property stays, without a value.
        holder[token] = empty(kind[1][token])
    elif isinstance(holder, dict):
        del holder[token]
    else:
        del holder[index(token)]
    return value


def equal(left, right, kind):
    if kind[0] == "set":
        return set(left) == set(right)
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def patched(document, operations):
    root = copy.deepcopy(document)
    for operation in operations:
        path = tokens_of(operation["path"])
        kind = type_at(path)
        if operation["op"] in ("move", "copy"):
            source = tokens_of(operation["from"])
            type_at(source)
            if operation["op"] == "move":
                if len(source) < len(path) and path[:len(source)] == source:
                    raise Failure
                value = remove(root, source)
            else:
                value = copy.deepcopy(get(root, source))
            fits(value, kind)
            add(root, path, value)
        elif operation["op"] == "remove":
            remove(root, path)
        else:
            # As the client wrote it: what it leaves out is not there until the outcome is read as a whole.
            value = copy.deepcopy(operation["value"])
            fits(value, kind)
            if operation["op"] == "add":
                add(root, path, value)
            elif operation["op"] == "replace":
                get(root, path)
                put(root, path, value)
            elif not equal(get(root, path), value, kind):
                raise Failure
    return fits(root, ROOT)


def put(root, tokens, value):
    """Replaces; the entry of a map need not be there."""
    holder, token = get(root, tokens[:-1]), tokens[-1]
    if isinstance(holder, dict):
        holder[token] = value
    elif isinstance(holder, list) and index(token) is not None and index(token) < len(holder):
        holder[index(token)] = value
    else:
        raise Failure


def tokens_of(pointer):
    tokens = []
    for part in pointer.split("/")[1:]:
        if "~" in part.replace("~0", "").replace("~1", ""):
            raise Failure
        tokens.append(part.replace("~1", "/").replace("~0", "~"))
    return tokens


# RFC 7396, as far as a class goes: lists, sets and mixed values are values

def merged(value, patch, kind):
    if kind[0] == "optional":
        kind = kind[1]
        if patch is None:
            return None
        if value is None:
            value = {key: empty(part) for key, part in kind[1].items()}
    if kind[0] == "object":
        value = dict(value)
        for key, change in ensure(patch, dict).items():
            if key not in kind[1]:
                raise Failure
            part = kind[1][key]
            if change is None:
                value[key] = empty(part) if part[0] != "mixed" else None
            else:
                value[key] = merged(value[key], change, part)
        return value
    if kind[0] == "map":
        value = dict(value)
        for key, change in ensure(patch, dict).items():
            if change is None:
                value.pop(key, None)
            elif kind[1][0] == "optional":
                # An entry is a value, not a place to merge into.
                value[key] = fits(change, kind[1])
            else:
                value[key] = fits(change, kind[1])
        return value
    return fits(patch, kind)


# Field operators

def operated(document, operators):
    root = copy.deepcopy(document)
    paths = []
    for operator, fields in operators.items():
        for field, value in fields.items():
            path = field.split(".")
            kind = type_at(path)
            if any(path[:len(other)] == other or other[:len(path)] == path for other in paths):
                raise Failure
            paths.append(path)
            operate(root, operator, path, kind, value)
    return fits(root, ROOT)


def operate(root, operator, path, kind, value):
    is_entry = len(path) > 1 and type_at(path[:-1])[0] in ("map", "mixed")
    if operator == "$set":
        fits(value, kind)
        put(root, path, value)
    elif operator == "$unset":
        holder = type_at(path[:-1])
        holder = holder[1] if holder[0] == "optional" else holder
        if holder[0] in ("list", "set") or holder[0] == "mixed" and index(path[-1]) is not None:
            put(root, path, None)
        elif is_entry:
            try:
                remove(root, path)
            except Failure:
                pass
        else:
            remove(root, path)
    elif operator == "$inc":
        number = get(root, path)
        if kind[0] not in ("int", "mixed") or not is_number(value) or not is_number(number):
            raise Failure
        if abs(number + value) > INT_MAX:
            raise Failure
        put(root, path, number + value)
    elif operator in ("$min", "$max"):
        clamp(root, operator, path, kind, value, is_entry)
    else:
        change_list(root, operator, path, kind, value)


def clamp(root, operator, path, kind, value, is_entry):
    if kind[0] not in ("int", "string", "mixed") or value is None:
        raise Failure
    value = fits(value, kind)
    if isinstance(value, (dict, list, bool)):
        raise Failure
    try:
        present = get(root, path)
    except Failure:
        if not is_entry:
            raise
        return put(root, path, value)
    if present is None:
        return put(root, path, value)
    if isinstance(present, (dict, list, bool)) or isinstance(present, str) != isinstance(value, str):
        raise Failure
    left, right = [x.encode() if isinstance(x, str) else x for x in (value, present)]
    if left < right if operator == "$min" else left > right:
        put(root, path, value)


def change_list(root, operator, path, kind, value):
    if kind[0] not in ("list", "set", "mixed") or kind[0] == "set" and operator == "$push":
        raise Failure
    part = kind if kind[0] == "mixed" else kind[1]
    values, position = [value], None
    if operator != "$pull" and isinstance(value, dict) and "$each" in value:
        values, position = ensure(value["$each"], list), value.get("$position")
    values = [fits(value, part) for value in values]
    present = list(ensure(get(root, path), list))
    same = lambda left, right: json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)
    if operator == "$push":
        place = len(present) if position is None else position
        place = max(0, len(present) + place) if place < 0 else min(place, len(present))
        present[place:place] = values
    elif operator == "$addToSet":
        for value in values:
            if not any(same(value, other) for other in present):
                present.append(value)
    else:
        present = [other for other in present if not same(other, values[0])]
    put(root, path, sorted(present, key=str.encode) if kind[0] == "set" else present)


def is_number(value):
    return isinstance(value, int) and not isinstance(value, bool)


# Random requests

class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def chance(self, share):
        return self.random.random() < share

    def scalar(self):
        return self.random.choice([None, 0, 1, 5, -7, INT_MAX, "", "a", "é", "z", True])

    def free(self, depth=0):
        roll = self.random.random()
        if depth > 3 or roll < 0.55:
            return self.scalar()
        count = self.random.randrange(4)
        if roll < 0.75:
            return [self.free(depth + 1) for _ in range(count)]
        return {self.random.choice(KEYS): self.free(depth + 1) for _ in range(count)}

    def value(self, kind, depth=0):
        if kind is not ROOT and self.chance(0.03):
            return self.free(2)
        name = kind[0]
        if name == "mixed":
            return self.free()
        if name == "optional":
            return None if self.chance(0.3) or depth > 3 else self.value(kind[1], depth)
        if name in ("int", "string"):
            if kind[1] and self.chance(0.2):
                return None
            return self.random.choice([0, 1, 2, -3, INT_MAX] if name == "int" else ["", "a", "b", "é", "e\u0301"])
        count = self.random.randrange(4)
        if name in ("list", "set"):
            return [self.value(kind[1], depth + 1) for _ in range(count)]
        if name == "map":
            return {self.random.choice(KEYS): self.value(kind[1], depth + 1) for _ in range(count)}
        members = [key for key in kind[1] if key != "_id" and self.chance(0.5)]
        return {key: self.value(kind[1][key], depth + 1) for key in members}

    def place(self, value, dotted=False):
        """Where something is, mostly."""
        tokens, kind = [], ROOT
        while True:
            inner = kind[1] if kind[0] == "optional" else kind
            options = []
            if isinstance(value, dict):
                options = list(inner[1]) if inner[0] == "object" else list(value) + [self.random.choice(KEYS)]
            elif isinstance(value, list):
                options = [str(number) for number in range(len(value) + 1)] + ["-"]
            if dotted:
                options = [option for option in options if "." not in option]
            if not options or tokens and self.chance(0.45):
                if self.chance(0.04):
                    tokens.append(self.random.choice(KEYS + ["zz", "2"]))
                return tokens
            token = self.random.choice(options)
            tokens.append(token)
            try:
                kind, value = step(kind, token), get(value, [token])
            except Failure:
                return tokens

    def operation(self, document):
        name = self.random.choice(["add", "add", "remove", "replace", "move", "copy", "test"])
        path = self.place(document)
        operation = {"op": name, "path": pointer(path)}
        if name in ("move", "copy"):
            operation["from"] = pointer(self.place(document))
        elif name == "test" and self.chance(0.7):
            try:
                operation["value"] = get(document, path)
            except Failure:
                operation["value"] = None
        elif name != "remove":
            operation["value"] = self.of(path)
        return operation

    def of(self, path):
        try:
            return self.value(type_at(path))
        except Failure:
            return self.free(2)

    def operators(self, document):
        operators = {}
        names = ["$set", "$unset", "$inc", "$min", "$max", "$push", "$addToSet", "$pull"]
        for _ in range(self.random.randrange(1, 4)):
            name = self.random.choice(names)
            path = self.place(document, dotted=True)
            operators.setdefault(name, {})[".".join(path)] = self.operand(name, path, document)
        return operators

    def operand(self, name, path, document):
        if name == "$inc":
            return self.random.choice([1, -1, 3, INT_MAX, "a"] if self.chance(0.2) else [1, -1, 3])
        if name in ("$push", "$addToSet", "$pull"):
            try:
                kind = type_at(path)
                kind = kind[1] if kind[0] in ("list", "set") else kind
            except Failure:
                return self.free(3)
            if name != "$pull" and self.chance(0.3):
                each = {"$each": [self.value(kind) for _ in range(self.random.randrange(3))]}
                if name == "$push" and self.chance(0.5):
                    each["$position"] = self.random.choice([0, 1, 9, -1, -9])
                return each
            try:
                present = get(document, path)
                if isinstance(present, list) and present and self.chance(0.5):
                    return self.random.choice(present)
            except Failure:
                pass
            return self.value(kind)
        return self.of(path)


def pointer(tokens):
    return "".join("/" + token.replace("~", "~0").replace("/", "~1") for token in tokens)


# The server

class Server:
    def __init__(self, program):
        self.directory = tempfile.mkdtemp(prefix="gatehouse-patches-")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        environment = {key: value for key, value in os.environ.items() if not key.startswith("GATEHOUSE_")}
        self.process = subprocess.Popen(
            [program, "serve", "--data", self.directory, "--listen", f"127.0.0.1:{self.port}", "--access-log", "off"],
            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        for _ in range(500):
            try:
                self.send("GET", "/livez")
                return
            except OSError:
                self.connection.close()
                time.sleep(0.02)
        raise SystemExit("the server did not start")

    def send(self, method, path, value=None, media="application/json"):
        body = None if value is None else json.dumps(value).encode()
        self.connection.request(method, path, body, {"Content-Type": media} if body else {})
        response = self.connection.getresponse()
        content = response.read()
        is_json = "json" in (response.getheader("content-type") or "")
        return response.status, json.loads(content) if content and is_json else None

    def stop(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)


def run(server, seed, count, tally):
    maker = Maker(seed)
    document = None
    for number in range(count):
        if document is None or number % 50 == 0:
            while True:
                try:
                    document = fits({"_id": 1, "r": 0, **maker.value(ROOT)}, ROOT)
                    break
                except Failure:
                    continue
            status, answer = server.send("PUT", "/v1/collections/D/1", document)
            assert status in (200, 201) and same(answer, document), (seed, number, document, answer)
        kind = maker.random.choice(["patch", "merge", "operators"])
        try:
            if kind == "patch":
                content = [maker.operation(document) for _ in range(maker.random.randrange(1, 5))]
                media = "application/json-patch+json"
                expected = patched(document, content)
            elif kind == "merge":
                content, media = maker.value(ROOT), "application/merge-patch+json"
                expected = merged(document, content, ROOT)
            else:
                content, media = maker.operators(document), "application/json"
                expected = operated(document, content)
            if expected["_id"] != 1:
                raise Failure
        except Failure:
            expected = None
        status, answer = server.send("PATCH", "/v1/collections/D/1", content, media)
        refused = status in (400, 409, 422)
        tally[kind, refused] = tally.get((kind, refused), 0) + 1
        if refused != (expected is None) or not refused and (status != 200 or not same(answer, expected)):
            print(f"seed {seed}, request {number}: {kind}")
            for name, value in [("document", document), ("content", content), ("expected", expected),
                                ("status", status), ("answer", answer)]:
                print(f"{name}: {json.dumps(value, ensure_ascii=False)}")
            return False
        if refused:
            status, answer = server.send("GET", "/v1/collections/D/1")
            assert same(answer, document), (seed, number, "changed by a refused request", document, answer)
        else:
            document = expected
    return True


def same(left, right):
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    server = Server(options.program)
    tally = {}
    try:
        status, answer = server.send("PUT", "/v1/schema", SCHEMA)
        assert status in (200, 201), answer
        portion = min(1000, options.requests)
        for number in range(max(1, options.requests // portion)):
            if not run(server, options.seed + number, portion, tally):
                return 1
    finally:
        server.stop()
    for (kind, refused), count in sorted(tally.items()):
        print(f"{kind}: {count} {'refused' if refused else 'performed'}")
    print("no difference")
    return 0


sys.exit(main())
