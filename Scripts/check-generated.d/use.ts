// Uses the client that `gatehouse generate typescript` made of schema.json against a server, whose URL is the argument.

import { Gatehouse, ItemCreate, PersonCreate, Problem } from "./gatehouse";

declare const process: { argv: string[]; exit(code: number): never };

function check(isTrue: boolean, value: unknown) {
  if (!isTrue) throw new Error(`not as expected: ${JSON.stringify(value)}`);
}

function equal(left: unknown, right: unknown) {
  check(JSON.stringify(left) === JSON.stringify(right), [left, right]);
}

async function refusal(promise: Promise<unknown>): Promise<Problem> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error("not refused");
}

async function main() {
  const db = new Gatehouse(process.argv[2]!);
  const token = "01234567-89ab-4def-8123-456789abcdef";
  const person: PersonCreate = {
    name: "Zoë", score: NaN, price: "1.50", born: new Date(Date.UTC(2001, 1, 3, 4, 5, 6)), token, photo: "AAE=",
    any: { list: [1, null, { $oid: "650000000000000000000000" }] }, tags: ["a", "b"], numbers: [Infinity, null],
    labels: { x: "1", y: null }, home: { street: "s", next: { zip: 5 } }, größe: 7, "a*/b": 8, '"quoted"': 9,
    "\\(x)": 10, "back\\slash": 11, "x${x}": 12,
  };
  const made = await db.Person.create(person);
  check(Number.isNaN(made.score) && made.flag && made.numbers[0] === Infinity && made["x${x}"] === 12, made);
  equal([made.price, made.token, made.photo, made.born], ["1.50", token, "AAE=", "2001-02-03T04:05:06Z"]);
  const found = await db.Person.read(made._id);
  equal(found, made);
  equal([found!.home!.next!.zip, found!.größe, found!["\\(x)"]], [5, 7, 10]);
  equal(await db.Person.read("0".repeat(24)), null);

  const change = { age: 5, tags: null, labels: { x: null, z: "3" }, home: { zip: 6 } };
  const changed = await db.Person.patch(made._id, change);
  equal([changed.age, changed.tags, changed.labels], [5, [], { y: null, z: "3" }]);
  equal([changed.home!.zip, changed.home!.street], [6, "s"]);

  const ids = Array.from({ length: 250 }, (_, id) => id);
  equal(await db.Item.createAll(ids.map((id) => ({ id, title: `item ${id}` }))), ids);
  equal(await db.Item.createAll([]), []);
  const listed: number[] = [];
  for await (const item of db.Item.find({ filter: "id >= $0", args: [10], sort: "-id", limit: 100 })) listed.push(item.id);
  equal(listed, ids.slice(10).reverse());
  equal([await db.Item.count(), await db.Item.count("title BEGINSWITH $0", ["item 1"])], [250, 111]);
  equal(await db.Item.patchMatching("id < $0", { stars: 1 }, [10]), 10);
  equal(await db.Item.deleteMatching("id >= 200"), 50);
  const repeated = await refusal(db.Item.create({ id: 0, title: "" }));
  equal([repeated.status, repeated.code], [409, "object_exists"]);
  const wrong = await refusal(db.Item.create({ title: 5 } as unknown as ItemCreate));
  equal(wrong.errors.map((error) => error.pointer), ["/title", "/id"]);

  const name = "a/b ü?#%";
  await db.Label.create({ name });
  equal(await db.Label.read(name), { name });
  await db.Label.delete(name);
  equal(await db.Label.read(name), null);
  await db.Device.create({ id: token });
  equal(await db.Device.read(token), { id: token, seen: null });
  const note = await db.Note.create({ text: "x" });
  equal((await db.Note.patch(note._key, { text: null })).text, null);
  await db.Maybe.create({ id: null });
  equal((await db.Maybe.page()).objects, [{ id: null }]);

  const controller = new AbortController();
  const told: unknown[] = [];
  for await (const change of db.Item.watch("id == $0", [1000], { signal: controller.signal })) {
    if (change.event === "ready") {
      void (async () => {
        await db.Item.create({ id: 1000, title: "new" });
        await db.Item.create({ id: 5000, title: "elsewhere" });
        await db.Item.patch(1000, { stars: 3 });
        await db.Item.delete(1000);
      })();
    } else if (change.event === "insert" || change.event === "update") {
      told.push([change.event, change.id, change.object.stars, change.changed ?? null]);
    } else if (change.event === "delete") {
      told.push([change.event, change.id, change.reason]);
      controller.abort();
    }
  }
  equal(told, [["insert", 1000, null, null], ["update", 1000, 3, ["stars"]], ["delete", 1000, "deleted"]]);
  equal((await refusal(db.Label.watch("nonsense ==").next())).code, "invalid_query");
  console.log("works");
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
