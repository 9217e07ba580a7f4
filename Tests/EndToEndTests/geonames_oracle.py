"""Answers over the Geonames files in plain Python: geonames_oracle.py answers FOLDER | same FILE FILE"""

import json
import sys


def read(path, key="_id"):
    with open(path, encoding="utf-8") as file:
        objects = [json.loads(line) for line in file]
    for one in objects:
        if isinstance(one.get("alternateNames"), list):  # a set: its order means nothing
            one["alternateNames"] = sorted(set(one["alternateNames"]))
    return objects


def answers(folder):
    countries = {country["iso"]: country for country in read(f"{folder}/Country.ndjson")}
    cities = read(f"{folder}/City.ndjson")
    asia = [
        city for city in cities
        if city["country"] in countries and countries[city["country"]]["continent"] == "AS"
        and city["population"] > 5000000]
    asia.sort(key=lambda city: -city["population"])
    print(json.dumps({
        "asia": [[city["_id"], city["population"]] for city in asia],
        "tokyo": sorted(city["_id"] for city in cities if "Tokyo" in city["alternateNames"]),
        "japan": sorted(countries["JP"]["names"].items(), key=lambda entry: entry[0].encode()),
        "g": [
            country["iso"] for country in sorted(countries.values(), key=lambda country: -country["population"])
            if country["name"].startswith("G")][:3],
    }))


def same(left, right):
    def ordered(path):
        return sorted(read(path), key=lambda one: json.dumps(one, sort_keys=True))
    print(json.dumps(ordered(left) == ordered(right)))


{"answers": answers, "same": same}[sys.argv[1]](*sys.argv[2:])
