"""Uses the client that `gatehouse generate python` made of schema.json against a server, whose URL is the argument."""

import datetime
import decimal
import math
import sys
import threading
import uuid

import gatehouse

db = gatehouse.Gatehouse(sys.argv[1])

born = datetime.datetime(2001, 2, 3, 4, 5, 6, tzinfo=datetime.timezone.utc)
token = uuid.uuid4()
made = db.Person.create({
    "name": "Zoë", "score": math.nan, "price": decimal.Decimal("1.50"), "born": born, "token": token, "photo": b"\0\1",
    "any": {"list": [1, None, {"$oid": "650000000000000000000000"}]}, "tags": ["a", "b"], "numbers": [math.inf, None],
    "labels": {"x": "1", "y": None}, "home": {"street": "s", "next": {"zip": 5}}, "größe": 7, "a*/b": 8, '"quoted"': 9,
    "\\(x)": 10, "back\\slash": 11})
assert math.isnan(made["score"]) and made["flag"] and made["numbers"] == [math.inf, None], made
assert (made["price"], made["token"], made["photo"], made["born"]) == ("1.50", str(token), "AAE=", "2001-02-03T04:05:06Z")
found = db.Person.read(made["_id"])
assert found is not None and math.isnan(found.pop("score")) and made.pop("score")
assert found == made and found["home"]["next"]["zip"] == 5 and found["größe"] == 7 and found["\\(x)"] == 10, found
assert db.Person.read("0" * 24) is None

changed = db.Person.patch(made["_id"], {"age": 5, "tags": None, "labels": {"x": None, "z": "3"}, "home": {"zip": 6}})
assert (changed["age"], changed["tags"], changed["labels"]) == (5, [], {"y": None, "z": "3"}), changed
assert changed["home"]["zip"] == 6 and changed["home"]["street"] == "s"

assert db.Item.create_all([{"id": i, "title": f"item {i}"} for i in range(250)]) == list(range(250))
assert db.Item.create_all([]) == []
assert [item["id"] for item in db.Item.find("id >= $0", [10], sort="-id", limit=100)] == list(range(249, 9, -1))
assert db.Item.count() == 250 and db.Item.count("title BEGINSWITH $0", ["item 1"]) == 111
assert db.Item.patch_matching("id < $0", {"stars": 1}, [10]) == 10
assert db.Item.delete_matching("id >= 200") == 50
try:
    db.Item.create({"id": 0, "title": ""})
    sys.exit("an object was created twice")
except gatehouse.Problem as problem:
    assert (problem.status, problem.code) == (409, "object_exists"), problem
try:
    db.Item.create({"title": 5})
    sys.exit("an object without its key was created")
except gatehouse.Problem as problem:
    assert problem.status == 422 and [error["pointer"] for error in problem.errors] == ["/title", "/id"], problem.errors

name = "a/b ü?#%"
db.Label.create({"name": name})
assert db.Label.read(name) == {"name": name}
db.Label.delete(name)
assert db.Label.read(name) is None
device = db.Device.create({"id": token})
assert db.Device.read(device["id"]) == {"id": str(token), "seen": None}
note = db.Note.create({"text": "x"})
assert db.Note.patch(note["_key"], {"text": None})["text"] is None
db.Maybe.create({"id": None})
assert list(db.Maybe.find()) == [{"id": None}]
assert db.Log.create({"_id": 1, "level": 3, "user": {"name": "Zoë"}}) == {"_id": 1, "level": 3, "user": {"name": "Zoë"}}
assert db.Log.patch("1", {"level": None, "at": 1.5}) == {"_id": 1, "at": 1.5, "user": {"name": "Zoë"}}


def write():
    db.Item.create({"id": 1000, "title": "new"})
    db.Item.create({"id": 5000, "title": "elsewhere"})
    db.Item.patch(1000, {"stars": 3})
    db.Item.delete(1000)


told = []
changes = db.Item.watch("id == $0", [1000])
for change in changes:
    if change.event == "ready":
        threading.Thread(target=write).start()
        continue
    told.append((change.event, change.id, change.object and change.object["stars"], change.changed, change.reason))
    if change.event == "delete":
        changes.close()
assert told == [("insert", 1000, None, None, None), ("update", 1000, 3, ["stars"], None),
                ("delete", 1000, None, None, "deleted")], told
try:
    next(db.Label.watch("nonsense =="))
    sys.exit("a filter that is none was watched")
except gatehouse.Problem as problem:
    assert problem.code == "invalid_query"
print("works")
