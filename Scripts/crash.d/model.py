"""What subscribers are to be told, found by replaying the change log.

Plain Python over plain JSON: nothing here is the server's code, nor written after it.
"""

import copy


class World:
    """All objects, as they are after each change."""

    def __init__(self, schema):
        self.types = {t["name"]: t for t in schema}
        self.objects = {name: {} for name in self.types}

    def properties(self, name):
        return list(self.types[name]["properties"])

    def get(self, name, identifier):
        return self.objects[name].get(identifier)

    def apply(self, change):
        """Returns the object before and after."""
        name, identifier = change["class"], change["id"]
        before = self.get(name, identifier)
        after = None
        if change["operation"] == "insert":
            after = copy.deepcopy(change["after"])
        elif change["operation"] == "update":
            after = copy.deepcopy(before)
            after.update(copy.deepcopy(change.get("after") or {}))
            for prop, elements in change.get("elements", {}).items():
                for element in elements:
                    self.redo(after[prop], element)
        if after is None:
            self.objects[name].pop(identifier, None)
        else:
            self.objects[name][identifier] = after
        return before, after

    @staticmethod
    def redo(collection, element):
        if "key" in element:
            if "after" in element:
                collection[element["key"]] = element["after"]
            else:
                collection.pop(element["key"], None)
        elif "index" in element:
            index = element["index"]
            collection[index : index + (1 if "before" in element else 0)] = (
                [element["after"]] if "after" in element else [])
        elif "from" in element:
            collection.insert(element["to"], collection.pop(element["from"]))
        else:
            raise ValueError(element)


def shown(world, name, identifier, value, fields):
    """The object as GET has it."""
    if "primaryKey" not in world.types[name]:
        value = {"_key": identifier, **value}
    names = fields or list(value)
    return {n: value[n] for n in names}


def expected(log, schema, watch):
    """Yields (id, event, data) for each event of a subscriber that began before the log."""
    world = World(schema)
    for change in log:
        before, after = world.apply(change)
        if watch.class_name not in (None, change["class"]):
            continue
        if watch.identifier is not None and change["id"] != watch.identifier:
            continue
        matches = watch.matches or (lambda o, w: True)
        matched = before is not None and matches(before, world)
        match = after is not None and matches(after, world)
        if not matched and not match:
            continue
        data = {"class": change["class"], "id": change["id"], "version": change["version"]}
        if match:
            data["object"] = shown(world, change["class"], change["id"], after, watch.shown)
        if matched and match:
            data["changed"] = change["changed"]
            if watch.values:
                for side, state in (("before", before), ("after", after)):
                    data[side] = {name: state[name] for name in change["changed"]}
        elif match and before is not None:
            data["reason"] = "matched"
        elif matched:
            data["reason"] = "deleted" if after is None else "unmatched"
        event = "update" if matched and match else "insert" if match else "delete"
        yield f"{change['version']}-{change['n']}", event, data
