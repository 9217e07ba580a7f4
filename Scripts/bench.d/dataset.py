"""Writes a data set of Geonames' shape, for where Geonames is not at hand: dataset.py DIRECTORY"""

import json
import random
import string
import sys


def word(pick, letters):
    return "".join(pick.choice(letters) for _ in range(pick.randint(4, 12)))


def countries(pick, codes):
    for number, code in enumerate(codes):
        yield {
            "iso": code, "name": word(pick, string.ascii_lowercase).title(), "iso3": code + "X",
            "numeric": number, "capital": word(pick, string.ascii_lowercase).title(),
            "continent": pick.choice(["AF", "AS", "EU"]), "areaKm2": pick.uniform(1, 1e7),
            "population": pick.randint(0, 10**9), "currency": "EUR", "languages": ["de", "fr"],
            "neighbours": pick.sample(codes, 3), "phone": str(number),
            "names": {word(pick, string.ascii_lowercase): word(pick, "абвгдежзик") for _ in range(100)},
        }


def cities(pick, codes):
    for number in range(1, 34007):
        yield {
            "_id": number * 7, "name": word(pick, string.ascii_lowercase).title(), "country": pick.choice(codes),
            "admin1": f"{pick.randint(1, 99):02}", "population": int(15000 * pick.paretovariate(1.1)),
            "timezone": "Etc/UTC",
            "location": {
                "type": "Point", "coordinates": [pick.uniform(-180, 180), pick.uniform(-90, 90)]},
            "alternateNames": sorted({word(pick, "абвгдежзиклмн") for _ in range(pick.randint(0, 20))}),
        }


def write(path, objects):
    with open(path, "w", encoding="utf-8") as file:
        for one in objects:
            file.write(json.dumps(one, ensure_ascii=False, separators=(",", ":")) + "\n")


def main(directory):
    pick = random.Random(7)
    codes = ["FR"] + sorted({a + b for a in "ABCDEGHIJK" for b in string.ascii_uppercase} - {"FR"})[:251]
    continents = [
        {"code": code, "name": code, "population": 1, "bounds": {"north": 1.5, "south": -1.5}}
        for code in ["AF", "AS", "EU"]]
    write(f"{directory}/Continent.ndjson", continents)
    write(f"{directory}/Country.ndjson", countries(pick, codes))
    write(f"{directory}/City.ndjson", cities(pick, codes))


main(sys.argv[1])
