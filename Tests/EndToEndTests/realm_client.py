"""Speaks as Realm's clients do, byte for byte, and is as strict with answers as they are.

realm-core (Swift, native JavaScript, Kotlin, .NET) sends its headers with everything and relies on types of numbers;
realm-web sends less, and compares less. Usage: realm_client.py PORT
"""
import base64, json, socket, sys, urllib.parse

PORT = int(sys.argv[1])
HOST = f"127.0.0.1:{PORT}"
APP = "sample-abcde"
BASE = "/api/client/v2.0"


class Answer:
    def __init__(self, raw):
        head, _, self.body = raw.partition(b"\r\n\r\n")
        lines = head.decode("ascii").split("\r\n")
        self.status = int(lines[0].split(" ")[1])
        self.reason = lines[0].split(" ", 2)[2]
        self.fields = {}
        for line in lines[1:]:
            name, _, value = line.partition(": ")
            self.fields[name.lower()] = value

    @property
    def type(self):
        return self.fields.get("content-type")


def exchange(request):
    with socket.create_connection(("127.0.0.1", PORT), 30) as connection:
        connection.sendall(request)
        raw = b""
        while True:
            piece = connection.recv(65536)
            if not piece:
                return Answer(raw)
            raw += piece
            head, separator, body = raw.partition(b"\r\n\r\n")
            if not separator:
                continue
            lengths = [int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
            if head.split(b" ", 2)[1] == b"204" or lengths and len(body) >= lengths[0]:
                return Answer(raw)


def check(condition, *what):
    if not condition:
        raise SystemExit("FAILED: " + " ".join(str(each) for each in what))


# Reads an answer as realm-core does: check_for_errors of app_utils.cpp, and the types of util/bson.

def core_value(value):
    """The value with its type, as Bson's parser has it: a bare integer is an Int64, a bare fraction a Double."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return ("int64", value)
    if isinstance(value, float):
        return ("double", value)
    if isinstance(value, list):
        return [core_value(each) for each in value]
    if len(value) == 1:
        (name, inner), = value.items()
        readers = {
            "$numberInt": lambda: ("int32", int(inner)), "$numberLong": lambda: ("int64", int(inner)),
            "$numberDouble": lambda: ("double", float(inner)), "$oid": lambda: ("oid", inner),
            # A text is what it cannot read.
            "$date": lambda: ("date", int(inner["$numberLong"])), "$numberDecimal": lambda: ("decimal", inner),
            "$uuid": lambda: ("uuid", inner), "$binary": lambda: ("binary", inner["base64"], inner["subType"]),
        }
        if name in readers:
            return readers[name]()
    return {name: core_value(inner) for name, inner in value.items()}


class CoreError(Exception):
    def __init__(self, status, code, text):
        super().__init__(f"{status} {code}: {text}")
        self.status, self.code, self.text = status, code, text


def core_check(answer):
    is_json = answer.type == "application/json"
    if is_json and answer.body:
        document = json.loads(answer.body)
        if isinstance(document, dict) and "error" in document:
            check(isinstance(document.get("link", ""), str), "link is no string")
            raise CoreError(answer.status, document.get("error_code"), document["error"])
    if not 200 <= answer.status < 300:
        raise CoreError(answer.status, None, "http error code considered fatal")


class Core:
    """realm-core's App: sync/app.cpp."""

    def __init__(self):
        location = self.call("GET", f"{BASE}/app/{APP}/location", None, None)
        for name in ["deployment_model", "location", "hostname", "ws_hostname"]:
            check(isinstance(location[name], str), "location without", name)
        check(location["hostname"] == f"http://{HOST}" and location["ws_hostname"] == f"ws://{HOST}", location)

    def send(self, method, path, body, token):
        content = b"" if body is None else body.encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: {HOST}\r\n"
        head += "Accept: application/json\r\n"
        if token:
            head += f"Authorization: Bearer {token}\r\n"
        head += "Content-Type: application/json;charset=utf-8\r\n"
        if content or method in ("POST", "PUT", "PATCH", "DELETE"):
            head += f"Content-Length: {len(content)}\r\n"
        return exchange(head.encode() + b"\r\n" + content)

    def call(self, method, path, body, token):
        answer = self.send(method, path, body, token)
        core_check(answer)
        return json.loads(answer.body) if answer.body else None

    def log_in(self, provider, payload, link=None):
        device = {
            "appId": APP, "appVersion": "", "platform": "Linux", "platformVersion": "6", "sdk": "swift",
            "sdkVersion": "10.54.0", "cpuArch": "x86_64", "deviceName": "", "deviceVersion": "",
            "frameworkName": "", "frameworkVersion": "", "coreVersion": "14.14.0", "bundleId": "test",
        }
        body = dict(payload, options={"device": device})
        if provider != "custom-function":
            body["provider"] = provider
        path = f"{BASE}/app/{APP}/auth/providers/{provider}/login" + ("?link=true" if link else "")
        login = self.call("POST", path, json.dumps(body, separators=(",", ":")), link)
        for name in ["access_token", "refresh_token", "user_id", "device_id"]:
            check(isinstance(login[name], str) and login[name], "login without", name)
        check(login["device_id"] != "0" * 24, "no device")
        core_token(login["access_token"])
        core_token(login["refresh_token"])
        return login

    def profile(self, login):
        profile = self.call("GET", f"{BASE}/auth/profile", None, login["access_token"])
        check(isinstance(profile["data"], dict), profile)
        return [(each["provider_type"], each["id"]) for each in profile["identities"]], profile["data"]

    def function(self, login, name, arguments):
        body = '{"arguments":' + arguments + ',"name":"' + name + '"}'
        answer = self.send("POST", f"{BASE}/app/{APP}/functions/call", body, login["access_token"])
        core_check(answer)
        check(answer.type == "application/json", answer.type)
        return core_value(json.loads(answer.body))

    def command(self, login, name, members):
        members = '{"database":"d","collection":"Node",' + members + "}"
        body = '{"arguments":[' + members + '],"name":"' + name + '","service":"mongodb-atlas"}'
        answer = self.send("POST", f"{BASE}/app/{APP}/functions/call", body, login["access_token"])
        core_check(answer)
        check(answer.type == "application/json", answer.type)
        return core_value(json.loads(answer.body))

    def watch(self, login, members, change):
        """The events that come of `change`, until the first that deletes."""
        argument = {"database": "d", "collection": "Node", **members}
        request = json.dumps({"name": "watch", "arguments": [argument], "service": "mongodb-atlas"})
        encoded = urllib.parse.quote(base64.b64encode(request.encode()).decode(), safe="")
        path = f"{BASE}/app/{APP}/functions/call?baas_request={encoded}&baas_at={login['access_token']}"
        with socket.create_connection(("127.0.0.1", PORT), 30) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\nAccept: text/event-stream\r\n\r\n".encode())
            raw = b""
            while b": open\n\n" not in raw:
                piece = connection.recv(65536)
                check(piece, "a stream that is not opened", raw)
                raw += piece
            check(raw.startswith(b"HTTP/1.1 200 "), raw)
            change()
            while b'"operationType":"delete"' not in raw:
                raw += connection.recv(65536)
        # The sizes of chunks are on lines of their own.
        data = [line[6:] for line in raw.decode().split("\n") if line.startswith("data: ")]
        return [core_value(json.loads(each.replace("%25", "%"))) for each in data]

    def stream(self, login, name, arguments):
        request = json.dumps({"name": name, "arguments": arguments}, separators=(",", ":"))
        encoded = urllib.parse.quote(base64.b64encode(request.encode()).decode(), safe="")
        path = f"{BASE}/app/{APP}/functions/call?baas_request={encoded}&baas_at={login['access_token']}"
        # NSURLSession's, with the token in the URL and no Authorization.
        head = f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: text/event-stream\r\n"
        head += "Cache: no-cache\r\nAccept: text/event-stream\r\n\r\n"
        return exchange(head.encode())


def core_token(text):
    """RealmJWT of jwt.cpp."""
    parts = text.split(".")
    check(len(parts) == 3 and parts[2], "a token of", len(parts), "parts")
    claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    check(type(claims["exp"]) is int and type(claims["iat"]) is int, claims)
    check("user_data" not in claims or isinstance(claims["user_data"], dict), claims)
    return claims


def refused(code, text, call, *arguments):
    try:
        call(*arguments)
    except CoreError as error:
        check(error.code == code and text in error.text, "expected", code, text, "but got", error)
        return error
    check(False, "nothing was refused where", code, "was expected")


core = Core()
users = f"{BASE}/app/{APP}/auth/providers/local-userpass"


def register(email, password):
    return core.call("POST", f"{users}/register", json.dumps({"email": email, "password": password}), None)


register("ann@example.org", "secret1")
refused("AccountNameInUse", "name already in use", register, "ann@example.org", "secret1")
credentials = {"username": "ann@example.org", "password": "secret1"}
refused("InvalidPassword", "unauthorized", core.log_in, "local-userpass", dict(credentials, password="wrong"))
refused("AuthProviderNotFound", "", core.log_in, "oauth2-google", {"authCode": "x"})
login = core.log_in("local-userpass", credentials)
identities, data = core.profile(login)
check([kind for kind, _ in identities] == ["local-userpass"] and data == {"email": "ann@example.org"}, identities)

# Swift's Int is an Int64, and JavaScript's sum of them an Int32 where the function says so.
longs = '[{"$numberLong":"1"},{"$numberLong":"2"},{"$numberLong":"3"},{"$numberLong":"4"},{"$numberLong":"5"}]'
check(core.function(login, "sum", longs) == ("int32", 15), "sum")
check(core.function(login, "echo", '[{"$date":{"$numberLong":"5"}},{"$numberInt":"7"},{"a":{"$oid":"0123456789abcdef01234567"}}]')
      == [("date", 5), ("int32", 7), {"a": ("oid", "0123456789abcdef01234567")}], "echo")
check(core.function(login, "nothing", "[]") == {"$undefined": True}, "nothing")
check(core.function(login, "who", "[]") == login["user_id"], "who")
check(refused("FunctionNotFound", "function not found: 'x'", core.function, login, "x", "[]").status == 404, "404")
check(refused("FunctionExecutionError", "not today", core.function, login, "fail", "[]").status == 400, "400")

# An event stream: open only where it is 200.
stream = core.stream(login, "echo", ["100%", {"$numberInt": "1"}])
check(stream.status == 200 and stream.type == "text/event-stream", stream.status, stream.type)
lines = stream.body.decode().split("\n")
data = "".join(line[6:] for line in lines if line.startswith("data: "))
data = data.replace("%0A", "\n").replace("%0D", "\r").replace("%25", "%")
check(core_value(json.loads(data)) == ["100%", ("int32", 1)], data)
closed = core.stream({"access_token": "a.b.c"}, "echo", [])
check((closed.status, closed.reason) == (401, "Unauthorized"), closed.status, closed.reason)

# An anonymous user, who becomes somebody.
register("bob@example.org", "secret1")
anonymous = core.log_in("anon-user", {})
check([kind for kind, _ in core.profile(anonymous)[0]] == ["anon-user"], "anonymous")
linked = core.log_in("local-userpass", {"username": "bob@example.org", "password": "secret1"}, anonymous["access_token"])
check(linked["user_id"] == anonymous["user_id"], "linked")
check([kind for kind, _ in core.profile(linked)[0]] == ["anon-user", "local-userpass"], "identities")
refused("InvalidSession", "a user already exists with the specified provider", core.log_in,
        "local-userpass", credentials, linked["access_token"])

# Keys, with the refresh token.
refresh = login["refresh_token"]
made = core.call("POST", f"{BASE}/auth/api_keys", '{"name":"my-key"}', refresh)
check(set(made) == {"_id", "key", "name", "disabled"} and isinstance(made["_id"], str), made)
path = f"{BASE}/auth/api_keys/{made['_id']}"
check(core.call("GET", path, None, refresh) == {"_id": made["_id"], "name": "my-key", "disabled": False}, "key")
check(core.log_in("api-key", {"key": made["key"]})["user_id"] == login["user_id"], "the key's owner")
check(core.call("PUT", f"{path}/disable", None, refresh) is None, "disable")
check(core.call("GET", f"{BASE}/auth/api_keys", None, refresh)[0]["disabled"] is True, "disabled")
check(core.call("PUT", f"{path}/enable", None, refresh) is None, "enable")
check(core.call("DELETE", path, None, refresh) is None, "delete")
refused("APIKeyNotFound", "API key not found", core.call, "GET", path, None, refresh)
refused(None, "expected Authorization header with JWT (Bearer schema)", core.call, "GET", path, None, None)

# The session.
renewed = core.call("POST", f"{BASE}/auth/session", None, refresh)
core_token(renewed["access_token"])
check(core.function(dict(login, **renewed), "who", "[]") == login["user_id"], "renewed")
out = core.send("DELETE", f"{BASE}/auth/session", None, refresh)
check((out.status, out.body, out.type) == (204, b"", None), out.status, out.type)
check(refused("InvalidSession", "failed to find refresh token", core.call, "POST", f"{BASE}/auth/session", None,
              refresh).status == 401, "401")


# Commands of the data source: mongo_collection.cpp insists on these types.
login = core.log_in("anon-user", {})
one = '"document":{"_id":{"$numberInt":"1"},"label":"a"}'
check(core.command(login, "insertOne", one) == {"insertedId": ("int32", 1)}, "insertOne")
many = '"documents":[{"_id":{"$numberLong":"2"},"label":"b","next":1},{"_id":{"$numberLong":"3"},"label":"c%"}]'
check(core.command(login, "insertMany", many) == {"insertedIds": [("int64", 2), ("int64", 3)]}, "insertMany")
check(core.command(login, "count", '"query":{},"limit":{"$numberLong":"0"}') == ("int64", 3), "count")
update = '"query":{"_id":{"$numberInt":"1"}},"update":{"$set":{"label":"x"}},"upsert":false'
check(core.command(login, "updateOne", update) == {"matchedCount": ("int32", 1), "modifiedCount": ("int32", 1)}, "updateOne")
found = core.command(login, "find", '"query":{"next":1},"limit":{"$numberLong":"5"}')
check(found == [{"_id": ("int64", 2), "label": "b", "next": ("int64", 1)}], found)
check(core.command(login, "findOne", '"query":{"_id":9}') is None, "findOne")
refused("MongoDBError", "Duplicate key error", core.command, login, "insertOne", one)
refused("MongoDBError", "unknown top level operator: $who.", core.command, login, "find", '"query":{"$who":1}')
refused("MongoDBError", "Unrecognized pipeline stage name: 'name'", core.command, login, "aggregate", '"pipeline":[{"name":1}]')
refused("InvalidParameter", "must provide at least one element", core.command, login, "insertMany", '"documents":[]')


def changes():
    core.command(login, "updateOne", '"query":{"_id":3},"update":{"label":"100%"}')
    core.command(login, "deleteOne", '"query":{"_id":2}')
    check(core.command(login, "deleteMany", '"query":{}') == {"deletedCount": ("int32", 2)}, "deleteMany")


events = core.watch(login, {"ids": [2, 3]}, changes)
check([event["operationType"] for event in events][:2] == ["replace", "delete"], events)
check(events[0]["fullDocument"] == {"_id": ("int64", 3), "label": "100%", "next": None}, events)
check(events[0]["documentKey"] == {"_id": ("int64", 3)} and events[0]["ns"] == {"db": "d", "coll": "Node"}, events)


# realm-web 2.0.1 on Node: Fetcher.ts, Authenticator.ts, User.ts.

def web(method, path, body=None, token=None):
    head = f"{method} {path} HTTP/1.1\r\naccept: application/json\r\n"
    if token:
        head += f"authorization: Bearer {token}\r\n"
    content = b""
    if body is not None:
        content = body.encode()
        head += "content-type: application/json\r\n"
    if method != "GET" and (body is not None or method == "POST"):
        head += f"content-length: {len(content)}\r\n"
    head += "user-agent: node-fetch/1.0 (+https://github.com/bitinn/node-fetch)\r\n"
    head += f"accept-encoding: gzip,deflate\r\nconnection: close\r\nHost: {HOST}\r\n\r\n"
    answer = exchange(head.encode() + content)
    if not 200 <= answer.status < 300:
        text = json.loads(answer.body) if (answer.type or "").startswith("application/json") else {}
        raise CoreError(answer.status, text.get("error_code"), text.get("error", answer.reason))
    # No type, no content; or JSON, which must be some.
    if answer.type is None:
        return None
    check(answer.type.startswith("application/json"), f'Expected JSON response, got "{answer.type}"')
    return json.loads(answer.body)


device = '"options":{"device":{"sdkVersion":"2.0.1","platform":"node","platformVersion":"v18.19.0"}}'
login = web("POST", f"{BASE}/app/{APP}/auth/providers/anon-user/login", "{" + device + "}")
token = login["access_token"]
claims = core_token(token)
check(claims["baas_device_id"] == login["device_id"], claims)
profile = web("GET", f"{BASE}/auth/profile", None, token)
check(isinstance(profile["type"], str) and isinstance(profile["identities"], list) and isinstance(profile["data"], dict), profile)
again = '"options":{"device":{"deviceId":{"$oid":"' + login["device_id"] + '"},"sdkVersion":"2.0.1"}}'
other = web("POST", f"{BASE}/app/{APP}/auth/providers/anon-user/login", "{" + again + "}")
check(other["device_id"] == login["device_id"] and other["user_id"] != login["user_id"], "device")
call = f"{BASE}/app/{APP}/functions/call"
numbers = '{"name":"sum","arguments":[{"$numberInt":"1"},{"$numberInt":"2"}]}'
check(web("POST", call, numbers, token) == {"$numberInt": "3"}, "sum")
login_body = '{"id":"carl","pin":{"$numberInt":"7"},' + device + "}"
carl = web("POST", f"{BASE}/app/{APP}/auth/providers/custom-function/login", login_body)
check(web("GET", f"{BASE}/auth/profile", None, carl["access_token"])["identities"][0]["provider_type"] == "custom-function", "carl")
refused("AuthError", "authentication failed", web, "POST", f"{BASE}/app/{APP}/auth/providers/custom-function/login",
        '{"id":"carl","pin":{"$numberInt":"8"},' + device + "}")
# deleteUser: the user first, then the session, whose error it has to recognise.
check(web("DELETE", f"{BASE}/auth/delete", None, token) is None, "delete")
error = refused("InvalidSession", "failed to find refresh token", web, "DELETE", f"{BASE}/auth/session", None,
                login["refresh_token"])
check(error.status == 401, error)
# A token that is no more is 401 with what makes it refresh, which ends with 401 as well.
check(refused("InvalidSession", "", web, "POST", call, numbers, token).status == 401, "401")
print("all as clients expect it")
