"""Tables and documents as Python reads and writes them, beside lines of JSON:

formats_oracle.py same-csv LINES FILE | write-csv LINES FILE | same-bson LINES FILE | write-bson LINES FILE | has-bson
"""

import csv
import json
import pathlib
import sys


def find_bson():
    """Finds pymongo, also in the environment of Scripts/oracle-bson."""
    environment = pathlib.Path(__file__).resolve().parents[2] / ".build" / "oracle"
    sys.path += [str(path) for path in environment.glob("lib/python*/site-packages")]
    try:
        import bson
        return bson
    except ImportError:
        return None


def read(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def fits(value, cell):
    """Whether a cell shows a value."""
    match value:
        case None:
            return cell == ""
        case bool():
            return cell == ("true" if value else "false")
        case int():
            return int(cell) == value
        case float():
            return float(cell) == value
        case str():
            return cell == value
        case _:
            return json.loads(cell) == value


def member(one, path):
    for name in path.split("."):
        one = None if one is None else one[name]
    return one


def same_csv(lines, path):
    with open(path, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file, strict=True)
    objects = read(lines)
    return len(rows) == len(objects) and {name.split(".")[0] for name in header} == set(objects[0]) and all(
        len(row) == len(header) and all(fits(member(one, name), cell) for name, cell in zip(header, row))
        for one, row in zip(objects, rows))


def write_csv(lines, path):
    """Writes lines that end with LF, and quotes as well as it can, where the file's name says so."""
    objects = read(lines)
    odd = {"lineterminator": "\n", "quoting": csv.QUOTE_NONNUMERIC} if path.endswith("quoted.csv") else {}
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(objects[0]), **odd)
        writer.writeheader()
        for one in objects:
            writer.writerow({
                name: json.dumps(value) if isinstance(value, (dict, list, bool)) else value
                for name, value in one.items()})
    return True


def same_bson(lines, path):
    with open(path, "rb") as file:
        return find_bson().decode_all(file.read()) == read(lines)


def write_bson(lines, path):
    with open(path, "wb") as file:
        file.writelines(find_bson().encode(one) for one in read(lines))
    return True


def has_bson():
    return find_bson() is not None


commands = {
    "same-csv": same_csv, "write-csv": write_csv, "same-bson": same_bson, "write-bson": write_bson, "has-bson": has_bson}
print(json.dumps(commands[sys.argv[1]](*sys.argv[2:])))
