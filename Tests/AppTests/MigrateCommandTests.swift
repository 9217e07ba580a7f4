import FoundationEssentials
import Testing

@testable import GatehouseApp

/// Steps in the folder `migrations`, applied by the command.
@Suite struct MigrateCommandTests {
  private static let first = """
    {"description": "Prices in cents.",
     "schema": [{"name": "Item", "primaryKey": "id", "properties": {"id": "int", "title": "string", "cents": "int"}}],
     "rename": ["Item.name:title"], "destructive": true,
     "data": [{"class": "Item", "set": {"cents": "price * 100"}}]}
    """
  private static let second = """
    {"schema": [{"name": "Tag", "primaryKey": "name", "properties": {"name": "string", "items": "Item[]"}}]}
    """
  private static let third = """
    {"drop": ["Tag"], "destructive": true}
    """

  private func withItems(_ body: (Shell) async throws -> Void) async throws {
    try await Shell.with { shell async throws in
      let schema =
        #"[{"name":"Item","primaryKey":"id","properties":{"id":"int","name":"string","price":"decimal128"}}]"#
      try shell.write(schema, to: "schema.json")
      try shell.write(
        #"{"id":1,"name":"Pen","price":{"$numberDecimal":"1.99"}}"# + "\n"
          + #"{"id":2,"name":"Ink","price":{"$numberDecimal":"12"}}"# + "\n", to: "items.ndjson")
      _ = try await shell.run("schema apply @/schema.json")
      _ = try await shell.run("import Item @/items.ndjson")
      try FileManager.default.createDirectory(
        atPath: "\(shell.folder)/data/migrations", withIntermediateDirectories: true)
      try await body(shell)
    }
  }

  private func put(_ text: String, _ name: String, _ shell: Shell) throws {
    try shell.write(text, to: "data/migrations/\(name)")
  }

  @Test func `steps are tried, applied once, and gone on behind`() async throws {
    try await withItems { shell async throws in
      try put(Self.first, "0001_cents.json", shell)
      try put(Self.second, "0002_tags.json", shell)
      try put("Steps of this store.", "README.md", shell)
      let lines = """
        0001_cents: Item.name: is called title
        0001_cents: Item.title: stored as title, was name
        0001_cents: Item.cents: int added, required, without default (destructive)
        0001_cents: Item.price: decimal128 removed (destructive)
        0001_cents: Item: cents computed

        """
      let tags = "0002_tags: Tag: class added\n"
      let tried = try await shell.run("migrate --dry-run")
      #expect(tried == Shell.Outcome(output: lines + tags, error: "2 steps would be applied\n"))
      #expect(try await shell.run("export Item").output.contains("price"))
      let one = try await shell.run("migrate --to 1")
      #expect(
        one == Shell.Outcome(output: lines + "0001_cents: version 5\n", error: "1 step applied\n"))
      let exported = try await shell.run("export Item")
      #expect(
        exported.output
          == #"{"id":1,"title":"Pen","cents":199}"# + "\n" + #"{"id":2,"title":"Ink","cents":1200}"# + "\n")
      let two = try await shell.run("migrate")
      #expect(
        two == Shell.Outcome(output: tags + "0002_tags: version 6\n", error: "1 step applied\n"))
      #expect(try await shell.run("migrate") == Shell.Outcome(error: "nothing to apply\n"))
      try put(Self.third, "3_untag.json", shell)
      #expect(try await shell.run("migrate").code == 0)
      #expect(try await shell.run("export Tag").code == 1)
      #expect(try await shell.run("check").code == 0)
    }
  }

  @Test func `a class gets another name, with the roles and keys that the store keeps`() async throws {
    try await withItems { shell async throws in
      try FileManager.default.createDirectory(
        atPath: "\(shell.folder)/data/auth", withIntermediateDirectories: true)
      try put(
        #"{"schema": [{"name": "Ware", "primaryKey": "id", "properties": {"id": "int", "title": "string", "price": "decimal128"}}],"#
          + #" "rename": ["Item:Ware", "Ware.name:title"],"#
          + #" "data": [{"class": "Ware", "where": "id == 1", "set": {"title": "'Quill'"}}]}"#, "1_ware.json",
        shell)
      let key = try await shell.run("key create --name shop --role read --class Item")
      #expect(key.code == 0, "\(key)")
      let lines = """
        1_ware: Item: is called Ware
        1_ware: Ware.name: is called title
        1_ware: Ware.title: stored as title, was name
        1_ware: Ware: title computed where id == 1

        """
      #expect(
        try await shell.run("migrate --dry-run")
          == Shell.Outcome(output: lines, error: "1 step would be applied\n"))
      #expect(try await shell.run("key list").output.contains("Item"))
      try shell.write(#"{"clerk": {"classes": {"Item": {"read": true}}}}"#, to: "data/auth/roles.json")
      let applied = try await shell.run("migrate")
      #expect(applied.code == 0 && applied.output.hasPrefix(lines), "\(applied)")
      #expect(
        applied.error.hasSuffix(
          "gatehouse: auth/roles.json names Item, which is called Ware: no server starts before it says so too\n1 step applied\n"
        ))
      #expect(
        try await shell.run("export Ware").output.hasPrefix(#"{"id":1,"title":"Quill""#))
      let keys = try await shell.run("key list").output
      #expect(keys.contains("Ware") && !keys.contains("Item"), "\(keys)")
      #expect(try await shell.run("check").code == 0)
    }
  }

  @Test func `a schema is compared with a class under another name`() async throws {
    try await withItems { shell async throws in
      try shell.write(
        #"[{"name":"Ware","primaryKey":"id","properties":{"id":"int","name":"string","price":"double"}}]"#,
        to: "new.json")
      #expect(
        try await shell.run("schema diff @/new.json --rename Item:Ware").output
          == "Item: is called Ware\nWare.price: decimal128 becomes double (destructive)\n")
      let refused = try await shell.run("schema diff @/new.json --rename Itm:Ware")
      #expect(refused.code == 1 && refused.error.contains("There is no class “Itm”"), "\(refused)")
      let apply = try await shell.run("schema apply @/new.json --rename Item:Ware")
      #expect(apply.code == 2 && apply.error.contains("a step in the folder migrations renames a class"))
    }
  }

  @Test func `a function gives objects new values, once, and may not change afterwards`() async throws {
    try await withItems { shell async throws in
      let function = """
        exports = async function (item) {
          if (item.id === 2) return;
          return {words: item.name.toUpperCase().split(''), price: BSON.Decimal128.fromString('3.5'), next: 2};
        };
        """
      let step = """
        {"schema": [{"name": "Item", "primaryKey": "id", "properties": {
           "id": "int", "name": "string", "price": "decimal128", "words": "string[]", "next": "Item"}}],
         "data": [{"class": "Item", "where": "price > 1", "function": "words.js"}]}
        """
      try put(step, "1_words.json", shell)
      let missing = try await shell.run("migrate")
      #expect(
        missing.code == 1 && missing.error.contains("there is no function words.js beside it"), "\(missing)")
      try put(function, "words.js", shell)
      let before = try await shell.run("export Item").output
      #expect(
        try await shell.run("migrate --dry-run").output.hasSuffix(
          "Item: changed by words.js where price > 1\n"))
      #expect(try await shell.run("export Item").output == before)
      #expect(try await shell.run("migrate").code == 0)
      let after = try await shell.run("export Item").output
      #expect(
        after == """
          {"id":1,"name":"Pen","price":"3.5","words":["P","E","N"],"next":2}
          {"id":2,"name":"Ink","price":"12","words":[],"next":null}

          """)
      #expect(try await shell.run("check").code == 0)
      try put(function + "\n", "words.js", shell)
      let changed = try await shell.run("migrate")
      #expect(
        changed.code == 1
          && changed.error.contains("1_words has been applied, and its file is another one now"))
    }
  }

  @Test func `a function of a migration changes more objects than it is asked about at once`() async throws {
    try await withItems { shell async throws in
      let items = (3...400).map { #"{"id":\#($0),"name":"n","price":{"$numberDecimal":"1"}}"# }
      try shell.write(items.joined(separator: "\n"), to: "more.ndjson")
      _ = try await shell.run("import Item @/more.ndjson")
      try put("exports = item => item.id % 3 ? {name: `n${item.id}`} : null;", "names.js", shell)
      try put(#"{"data": [{"class": "Item", "function": "names.js"}]}"#, "1_names.json", shell)
      #expect(try await shell.run("migrate").code == 0)
      let lines = try await shell.run("export Item").output.split(separator: "\n")
      #expect(lines.count == 400)
      for (index, line) in lines.enumerated() where index > 1 {
        let id = index + 1
        #expect(line.hasPrefix(#"{"id":\#(id),"name":"\#(id % 3 == 0 ? "n" : "n\(id)")","#))
      }
    }
  }

  @Test(arguments: [
    (
      "exports = item => { if (item.id === 2) throw new Error('no ink'); return {name: 'x'}; };",
      "The object 2: no ink"
    ),
    ("exports = () => ({nam: 'x'});", "The object 1: "), ("exports = () => ({name: 7});", "The object 1: "),
    ("exports = () => 7;", "The object 1: "), ("exports = 7;", "does not say “exports = function …”"),
    ("exports = (", "f.js, line 1"),
    ("exports = () => context.realm.objects('Item').length;", "and nothing else"),
  ])
  func `a function that fails is told with its object, and nothing has changed`(
    function: String, error: String
  ) async throws {
    try await withItems { shell async throws in
      try put(function, "f.js", shell)
      try put(#"{"data": [{"class": "Item", "function": "f.js"}]}"#, "1_f.json", shell)
      let before = try await shell.run("export Item").output
      let failed = try await shell.run("migrate")
      #expect(failed.code == 1)
      #expect(failed.error.contains("1_f.json: ") && failed.error.contains(error), "\(failed)")
      #expect(try await shell.run("export Item").output == before)
      #expect(try await shell.run("migrate --dry-run").code == 1)
    }
  }

  @Test func `no folder is no migration`() async throws {
    try await Shell.with { shell async throws in
      #expect(try await shell.run("migrate") == Shell.Outcome(error: "nothing to apply\n"))
    }
  }

  @Test func `a history that the files do not tell is refused`() async throws {
    try await withItems { shell async throws in
      try put(Self.first, "0002_cents.json", shell)
      try put(Self.second, "0003_tags.json", shell)
      #expect(try await shell.run("migrate --to 2").code == 0)
      let refused = { (change: String, error: String) async throws in
        let outcome = try await shell.run("migrate \(change)")
        #expect(outcome == Shell.Outcome(code: 1, error: "gatehouse: \(error)\n"))
      }
      try await refused(
        "--to 1", "0002_cents has been applied: there is no way back to 1 but a backup")
      try await refused("--to 9", "there is no migration 9")
      try put("{}", "0001_late.json", shell)
      try await refused(
        "", "0001_late has not been applied, though 0002_cents behind it has: give it a higher number")
      try put("{}", "2_again.json", shell)
      try await refused(
        "", "@/data/migrations/0002_cents.json and @/data/migrations/2_again.json have the same number")
      try FileManager.default.removeItem(atPath: "\(shell.folder)/data/migrations/2_again.json")
      try FileManager.default.removeItem(atPath: "\(shell.folder)/data/migrations/0001_late.json")
      try put(Self.first + " ", "0002_cents.json", shell)
      try await refused(
        "",
        "0002_cents has been applied, and its file is another one now: restore it, and put what is new into a file of its own"
      )
      try FileManager.default.removeItem(atPath: "\(shell.folder)/data/migrations/0002_cents.json")
      try await refused("", "0002_cents has been applied, and its file is not there any more")
    }
  }

  @Test(arguments: [
    ("[]", "'' must be an object, the whole file"),
    ("{\n\"x\": 1}", ", line 2: there is no member 'x'"),
    ("{\n\n\"drop\": 1}", ", line 3: 'drop' must be an array"),
    (
      #"{"data": [{"class": "Item", "function": "../x.js"}]}"#,
      ", line 1: 'data' must be an array in which function names a file of JavaScript beside it"
    ),
    (
      #"{"data": [{"class": "Item", "set": {"name": "1"}, "function": "x.js"}]}"#,
      ", line 1: 'data' must be an array of objects with class, and with set or function"
    ),
    (#"{"rename": ["A.b"]}"#, ", line 1: 'rename' must be an array of CLASS:NEW and CLASS.OLD:NEW"),
    (
      #"{"data": [{"class": "Item", "set": {"name": 1}}]}"#,
      ", line 1: 'data' must be an array in which set gives each property an expression, a text"
    ),
    (
      #"{"data": [{"class": "Item", "set": {"nam": "name"}}]}"#,
      ": 'Item' has no property 'nam'; did you mean 'name'?"
    ),
    (
      #"{"data": [{"class": "Item", "set": {"id": "1"}}]}"#,
      ": 'Item.id' cannot be set: no expression gives maps, embedded objects, links that lead here and primary keys"
    ),
    (
      #"{"data": [{"class": "Itm", "set": {"name": "'x'"}}]}"#,
      ": there is no class 'Itm'; did you mean 'Item'?"
    ),
    (#"{"drop": ["Itm"]}"#, ": there is no class 'Itm'; did you mean 'Item'?"),
    ("{", ", line 1, column 2: "),
  ])
  func `a file with a mistake is named, and nothing is done`(text: String, error: String) async throws {
    try await withItems { shell async throws in
      try put(Self.second, "0001_tags.json", shell)
      try put(text, "0002_mistake.json", shell)
      let tried = try await shell.run("migrate --dry-run")
      #expect(tried.code == 1)
      #expect(tried.error.contains("0002_mistake.json"))
      #expect(tried.error.contains(error.hasPrefix("''") ? error : "0002_mistake.json\(error)"), "\(tried)")
      #expect(try await shell.run("export Tag").code == 1)
    }
  }

  @Test func `what would lose data needs leave, and what fails is told with its object`() async throws {
    try await withItems { shell async throws in
      try put(Self.first.replacing(#""destructive": true,"#, with: ""), "0001_cents.json", shell)
      let refused = try await shell.run("migrate")
      #expect(refused.code == 1)
      #expect(
        refused.error.hasPrefix("gatehouse: @/data/migrations/0001_cents.json: This would lose data"))
      try put(Self.first.replacing("price * 100", with: "price * 10"), "0001_cents.json", shell)
      let inexact = try await shell.run("migrate --dry-run")
      #expect(inexact.error.contains("The object 1 has a value of type decimal128, which no int equals"))
      #expect(try await shell.run("export Item").output.contains("price"))
      try put(Self.first, "0001_cents.json", shell)
      #expect(try await shell.run("migrate").code == 0)
    }
  }

  @Test func `a name that is no number and name is refused`() async throws {
    try await withItems { shell async throws in
      try put("{}", "first.json", shell)
      #expect(
        try await shell.run("migrate")
          == Shell.Outcome(
            code: 1,
            error:
              "gatehouse: @/data/migrations/first.json: migrations are called by a number and a name, such as 0001_prices.json\n"
          ))
    }
  }
}
