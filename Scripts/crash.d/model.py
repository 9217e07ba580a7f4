"""What subscribers are to be told, found by replaying the change log.

Plain Python over plain JSON: nothing here is the server's code, nor written after it.
"""

import copy


class World:
    """All objects, as they are after each change."""

    def __init__(self, schema):
        self.types = {t["name"]: t for t in schema}
        self.objects = {name: {} for name in self.types}
        self.owned = {}  # the items whose owner is that one

    def get(self, name, identifier):
        return self.objects[name].get(identifier)

    def after(self, change):
        """The object that the change makes of what is there; None: it is gone."""
        before = self.get(change["class"], change["id"])
        if change["operation"] == "insert":
            return change["after"]
        if change["operation"] == "delete":
            return None
        after = {**before, **(change.get("after") or {})}
        for prop, elements in change.get("elements", {}).items():
            after[prop] = copy.copy(after[prop])
            for element in elements:
                self.redo(after[prop], element)
        return after

    def put(self, name, identifier, value):
        before = self.get(name, identifier)
        if name == "Item":
            if before is not None:
                self.owned[before["owner"]].discard(identifier)
            if value is not None:
                self.owned.setdefault(value["owner"], set()).add(identifier)
        if value is None:
            self.objects[name].pop(identifier, None)
        else:
            self.objects[name][identifier] = value

    def owners(self, distance, identifier):
        """The items from which so many steps to their owners lead to that one."""
        level = {identifier}
        for _ in range(distance):
            level = set().union(*(self.owned.get(i, set()) for i in level))
        return level

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


class UpdateFilter:
    """Which changes count as updates: by distance along owners, the properties; None: all of them."""

    def __init__(self, key_paths, is_object):
        if key_paths is None:
            # Realm: what lies three links away counts, but of a single object only itself.
            self.properties = {d: None for d in range(1 if is_object else 4)}
            return
        self.properties = {}
        for path in key_paths.split(",") if key_paths else []:
            for distance, name in enumerate(path.split(".")):
                self.properties.setdefault(distance, set()).add(name)

    def counts(self, distance, changed):
        if distance not in self.properties:
            return False
        names = self.properties[distance]
        return names is None or bool(names & set(changed))


def shown(world, name, identifier, value, fields):
    """The object as GET has it."""
    if "primaryKey" not in world.types[name]:
        value = {"_key": identifier, **value}
    names = fields or list(value)
    return {n: value[n] for n in names}


def outcome(matched, match, is_new, is_gone):
    if matched and match:
        return "update", None
    if match:
        return "insert", None if is_new else "matched"
    if matched:
        return "delete", "deleted" if is_gone else "unmatched"
    return None, None


class Expectation:
    """What one subscriber is to be told: a list of (id, event, data)."""

    def __init__(self, watch):
        self.watch, self.events = watch, []
        self.update_filter = UpdateFilter(watch.key_paths, watch.identifier is not None)
        self.matches = watch.matches or (lambda o, w: True)
        # Also those of which the filter asks about their owner.
        self.depth = max([*self.update_filter.properties, watch.depth, 0])

    def ask(self, world, change):
        """Before the world takes the change over."""
        watch, name, identifier = self.watch, change["class"], change["id"]
        self.is_watched = watch.class_name in (None, name) and watch.identifier in (None, identifier)
        self.distant = {}
        self.leads_back = False  # whether a way that counts leads to the changed object itself
        if watch.class_name == name == "Item":
            for distance in range(1, self.depth + 1):
                counts = change["operation"] == "update" and self.update_filter.counts(distance, change["changed"])
                owners = world.owners(distance, identifier)
                self.leads_back = self.leads_back or counts and identifier in owners
                for other in owners - {identifier}:
                    if watch.identifier in (None, other):
                        self.distant[other] = self.distant.get(other, False) or counts
        self.earlier = {other: self.matches(world.get(name, other), world) for other in self.distant}
        before = world.get(name, identifier)
        self.matched = self.is_watched and before is not None and self.matches(before, world)

    def tell(self, world, change, before, after):
        """After it has."""
        watch, name, identifier = self.watch, change["class"], change["id"]
        position = f"{change['version']}-{change['n']}"
        part = 0
        for other in sorted(self.distant):
            value = world.get(name, other)
            event, reason = outcome(self.earlier[other], self.matches(value, world), False, False)
            if event is None or event == "update" and not self.distant[other]:
                continue
            self.add(f"{position}-{part}", event, reason, world, change, other, value, ["owner"])
            part += 1
        if not self.is_watched:
            return
        match = after is not None and self.matches(after, world)
        event, reason = outcome(self.matched, match, before is None, after is None)
        changed = change.get("changed", [])
        if event is None:
            return
        if event == "update" and not (watch.class_name is None or self.update_filter.counts(0, changed)):
            if not self.leads_back:
                return
            changed = changed + ["owner"]
        data = self.add(position, event, reason, world, change, identifier, after, changed)
        if event == "update" and watch.values:
            for side, state in (("before", before), ("after", after)):
                data[side] = {p: state[p] for p in changed}

    def add(self, position, event, reason, world, change, identifier, value, changed):
        data = {
            "class": change["class"], "id": identifier, "version": change["version"], "time": change["time"]}
        if event != "delete":
            data["object"] = shown(world, change["class"], identifier, value, self.watch.shown)
        if event == "update":
            data["changed"] = changed
        if reason:
            data["reason"] = reason
        self.events.append((position, event, data))
        return data


def expected(log, schema, watches):
    """For each of them the events of a subscriber that began before the log."""
    world = World(schema)
    expectations = [Expectation(watch) for watch in watches]
    for change in log:
        name, identifier = change["class"], change["id"]
        before, after = world.get(name, identifier), world.after(change)
        for expectation in expectations:
            expectation.ask(world, change)
        world.put(name, identifier, after)
        for expectation in expectations:
            expectation.tell(world, change, before, after)
    return [expectation.events for expectation in expectations]


def replayed(log, schema, watch, events):
    """What is wrong with the events of a list or map, applied one after the other; None: nothing."""
    world, value, told = World(schema), None, iter(events)
    event = next(told, None)
    for change in log:
        name, identifier = change["class"], change["id"]
        after = world.after(change)
        world.put(name, identifier, after)
        if (name, identifier) != ("Item", watch.identifier):
            continue
        wanted = after and after[watch.place]
        position = f"{change['version']}-{change['n']}"
        if event is not None and event[0] == position:
            value = applied(value, event[1], event[2])
            event = next(told, None)
        if value != wanted:
            return f"at {position} it is {value}, but the log says {wanted}"
    return None if event is None else f"{event} is nowhere in the log"


def applied(value, event, data):
    """The list or map after an event."""
    if event == "delete":
        return None
    if "value" in data:
        return data["value"]
    value = copy.copy(value)
    if "values" in data:
        for key in data["deletions"]:
            del value[key]
        return {**value, **data["values"]}
    for index in reversed(data["deletions"]):
        del value[index]
    for index, element in zip(data["insertions"], data["inserted"]):
        value.insert(index, element)
    for index, element in zip(data["modificationsNew"], data["modified"]):
        value[index] = element
    return value
