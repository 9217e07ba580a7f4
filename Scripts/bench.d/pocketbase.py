"""Gives a PocketBase the same cities. Two steps, since rows go in fastest while it is stopped:

pocketbase.py collections URL EMAIL PASSWORD    creates the collections through the admin API
pocketbase.py rows DATABASE CITIES              fills its table
pocketbase.py load URL EMAIL PASSWORD           creates the collection whose events are measured
"""

import json
import sqlite3
import sys
import urllib.request


def post(url, body, token=None):
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"Content-Type": "application/json", "Authorization": token or ""})
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)


def collections(url, email, password):
    session = post(
        f"{url}/api/collections/_superusers/auth-with-password", {"identity": email, "password": password})
    fields = [
        {"name": "name", "type": "text"}, {"name": "country", "type": "text"},
        {"name": "admin1", "type": "text"}, {"name": "population", "type": "number"},
        {"name": "timezone", "type": "text"}, {"name": "location", "type": "json"},
        {"name": "alternateNames", "type": "json"}]
    # An empty rule lets everybody.
    rules = {"listRule": "", "viewRule": "", "createRule": ""}
    indexes = [
        "CREATE INDEX idx_city_population ON City (population)", "CREATE INDEX idx_city_name ON City (name)"]
    post(
        f"{url}/api/collections",
        {"name": "City", "type": "base", "fields": fields, "indexes": indexes, **rules}, session["token"])
    fields = [
        {"name": "title", "type": "text"}, {"name": "text", "type": "text"}, {"name": "rank", "type": "number"}]
    post(f"{url}/api/collections", {"name": "Note", "type": "base", "fields": fields, **rules}, session["token"])


def rows(database, cities):
    connection = sqlite3.connect(database)
    with connection, open(cities, encoding="utf-8") as file:
        connection.executemany(
            "INSERT INTO City (id, name, country, admin1, population, timezone, location, alternateNames)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)", map(row, file))
    connection.close()


def row(line):
    city = json.loads(line)
    text = [json.dumps(city[name], ensure_ascii=False) for name in ("location", "alternateNames")]
    plain = [city[name] or "" for name in ("name", "country", "admin1", "population", "timezone")]
    return [f"{city['_id']:015}", *plain, *text]


def load(url, email, password):
    session = post(
        f"{url}/api/collections/_superusers/auth-with-password", {"identity": email, "password": password})
    fields = [{"name": "n", "type": "number"}, {"name": "t", "type": "text"}]
    rules = {"listRule": "", "viewRule": "", "createRule": ""}
    post(f"{url}/api/collections", {"name": "load", "type": "base", "fields": fields, **rules}, session["token"])


{"collections": collections, "load": load, "rows": rows}[sys.argv[1]](*sys.argv[2:])
