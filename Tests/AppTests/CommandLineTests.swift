import Testing

@testable import GatehouseApp

/// Commands as they are typed, with all that they print and their exit code.
struct CommandLineTests {
  typealias Outcome = Shell.Outcome

  private static let schema = """
    [{"name": "City", "primaryKey": "name", "properties": {"name": "string", "population": "int"}}]
    """
  private static let cities = """
    {"name": "Bern", "population": 134000}
    {"name": "Chur", "population": 38000}

    """

  /// A store with a class City and two cities.
  private func withCities(_ body: (Shell) async throws -> Void) async throws {
    try await Shell.with { shell async throws in
      try shell.write(Self.schema, to: "schema.json")
      try shell.write(Self.cities, to: "cities.ndjson")
      let applied = try await shell.run("schema apply @/schema.json")
      #expect(applied == Outcome(error: "1 classes, version 1\n"))
      let imported = try await shell.run("import City @/cities.ndjson")
      // How long it took is told where that was long.
      #expect(imported.code == 0 && imported.error.hasPrefix("City: 2 objects imported"), "\(imported)")
      try await body(shell)
    }
  }

  @Test(arguments: ["version", "--version"])
  func `the version is one line`(command: String) async throws {
    try await Shell.with { shell async throws in
      #expect(try await shell.run(command) == Outcome(output: "gatehouse \(ProductVersion.text)\n"))
    }
  }

  @Test(arguments: ["help key revoke", "key revoke --help", "key revoke x -h", "--help key revoke"])
  func `help on a command is asked for before or behind it`(command: String) async throws {
    let page = """
      Usage: gatehouse key revoke ID [--config FILE] [--app NAME] [--data DIR]

      Takes an API key away.

      ID is what “key list” shows. Where a server runs, DELETE /v1/keys/ID does it.

        --config FILE           Read the settings of this file; otherwise of gatehouse.json in the data
                                directory, or of Config/gatehouse.json.
        --app NAME              Work on this app of the data directory, not on the default database.
        --data DIR              The data directory; created where there is none.

      """
    try await Shell.with { shell async throws in
      #expect(try await shell.run(command) == Outcome(output: page))
    }
  }

  @Test(arguments: [
    ("exprot", "there is no command 'exprot'; did you mean 'export'?\nTry: gatehouse help"),
    ("help keys", "there is no help on 'keys'\nTry: gatehouse help"),
    ("import City", "'import' needs FILE\nTry: gatehouse help import"),
    ("export A B", "'export' does not take 'B'\nTry: gatehouse help export"),
    ("export A --dta x", "there is no option --dta here; did you mean '--data'?"),
    ("export A --data", "--data needs a value: --data DIR"),
    ("import A f --mode x", "--mode must be error, modified or all, not 'x'"),
    ("import A f --batch 0", "--batch must be a whole number from 1, not '0'"),
    ("key create", "--role must be the name of a role, not ''"),
    ("key revoke 7", "ID must be 24 hexadecimal digits, as “key list” shows them, not '7'"),
    ("schema apply f --rename a", "--rename must be CLASS:NEW or CLASS.OLD:NEW, not 'a'"),
    ("serve --event-loops two", "--event-loops must be a whole number from 0 to 1000000000, not 'two'"),
    (
      "serve --limits-query-seconds 99999999999",
      "--limits-query-seconds must be a whole number from 0 to 1000000000, not '99999999999'"
    ),
    (
      "serve --limits-content-bytes 9223372036854775807",
      "--limits-content-bytes must be a whole number from 0 to 1125899906842624, not '9223372036854775807'"
    ),
  ])
  func `words that are not understood exit with 2 and do nothing`(command: String, error: String) async throws
  {
    try await Shell.with { shell async throws in
      #expect(try await shell.run(command) == Outcome(code: 2, error: "gatehouse: \(error)\n"))
      #expect(!shell.exists("data"))
    }
  }

  @Test func `a variable that is no setting exits with 2`() async throws {
    try await Shell.with { shell async throws in
      let outcome = try await shell.run("export City", environment: [("GATEHOUSE_LISEN", "x")])
      let error = """
        gatehouse: there is no setting 'GATEHOUSE_LISEN' (in the environment); did you mean 'GATEHOUSE_LISTEN'?
        Try: gatehouse help settings

        """
      #expect(outcome == Outcome(code: 2, error: error))
    }
  }

  @Test func `a server that others can reach needs a key`() async throws {
    try await Shell.with { shell async throws in
      let error = """
        gatehouse: 0.0.0.0:20690 can be reached from other machines, and there is no key: whoever reaches it can \
        read, change and delete everything. Set GATEHOUSE_ADMIN_KEY, or make a key by 'gatehouse key create --role \
        admin'.

        """
      let outcome = try await shell.run("serve --listen 0.0.0.0:20690")
      #expect(outcome == Outcome(code: 1, error: error) || outcome == Outcome(code: 2, error: error))
    }
  }

  @Test func `an import is exported as it was, in the order of the file`() async throws {
    try await withCities { shell async throws in
      let outcome = try await shell.run("export City")
      let lines = "{\"name\":\"Bern\",\"population\":134000}\n{\"name\":\"Chur\",\"population\":38000}\n"
      #expect(outcome == Outcome(output: lines, error: "City: 2 objects exported\n"))
    }
  }

  @Test(arguments: [
    ("import Town @/cities.ndjson", "there is no class 'Town'\n"),
    ("import Ciyt @/cities.ndjson", "there is no class 'Ciyt'; did you mean 'City'?\n"),
    ("import City @/nothing", "cannot read @/nothing: No such file or directory\n"),
    (
      "import City @/cities.ndjson",
      "@/cities.ndjson, line 1: Class “City” has an object with that primary key already.\n"
    ),
    (
      "import City @/wrong.ndjson",
      """
      @/wrong.ndjson, line 2: The content is no object of the class.
        /population: A value of type int is expected, not string: a whole number without point, exponent and quotes, such as 5.

      """
    ),
    (
      "import City @/torn.ndjson",
      "@/torn.ndjson, line 2: The text ends too early.\n  That is at byte 15, from 0.\n"
    ),
  ])
  func `an import that fails names the line and leaves nothing`(command: String, error: String) async throws {
    try await withCities { shell async throws in
      try shell.write(Self.wrong, to: "wrong.ndjson")
      try shell.write("{\"name\": \"Thun\", \"population\": 43000}\n{\"name\": \"Biel\"\n", to: "torn.ndjson")
      #expect(try await shell.run(command) == Outcome(code: 1, error: "gatehouse: \(error)"))
      #expect(try await shell.run("export City").error == "City: 2 objects exported\n")
    }
  }

  private static let wrong = """
    {"name": "Thun", "population": 43000}
    {"name": "Biel", "population": "many"}

    """

  @Test func `an import in batches keeps the batches before the one that fails`() async throws {
    try await withCities { shell async throws in
      try shell.write(Self.wrong, to: "wrong.ndjson")
      let error = """
        gatehouse: @/wrong.ndjson, line 2: The content is no object of the class.
          /population: A value of type int is expected, not string: a whole number without point, exponent and quotes, such as 5.
          1 object had been imported, up to line 1, and stays; nothing after that line was.

        """
      #expect(try await shell.run("import City @/wrong.ndjson --batch 1") == Outcome(code: 1, error: error))
      #expect(try await shell.run("export City").error == "City: 3 objects exported\n")
    }
  }

  @Test func `a schema is shown as it is applied, and for tools`() async throws {
    try await withCities { shell async throws in
      let notation = try await shell.run("schema show @/schema.json")
      #expect(notation.output.hasPrefix(#"[{"name":"City","primaryKey":"name","properties":{"#))
      #expect(try await shell.run("schema show") == notation)
      let document = try await shell.run("schema show --format openapi")
      #expect(document.output.hasPrefix(#"{"openapi":"3.1.0","#))
      #expect(try await shell.run("schema show --format openapi @/schema.json") == document)
      #expect(try await shell.run("schema show --format jsonschema").output.contains(#""City.create":{"#))
      #expect(try await shell.run("schema show --format yaml").code == 2)
    }
  }

  @Test func `a client is generated, and no file of somebody's own overwritten`() async throws {
    try await withCities { shell async throws in
      let made = Outcome(error: "@/clients/gatehouse.py: 1 classes\n")
      #expect(try await shell.run("generate python --out @/clients") == made)
      #expect(try await shell.run("generate python @/schema.json --out @/clients") == made)
      try shell.write("mine", to: "gatehouse.ts")
      let refused = try await shell.run("generate typescript --out @")
      #expect((refused.code, refused.output) == (1, ""))
      #expect(try await shell.run("generate cobol").code == 2)
    }
  }

  @Test func `a schema is compared, refused and applied with a line for each difference`() async throws {
    try await withCities { shell async throws in
      let other =
        #"[{"name": "City", "primaryKey": "name", "properties": {"name": "string", "area": "double?"}}]"#
      try shell.write(other, to: "other.json")
      let differences = Outcome(
        output: "City.area: double? added\nCity.population: int removed (destructive)\n")
      #expect(try await shell.run("schema diff @/other.json") == differences)
      #expect(try await shell.run("schema diff @/schema.json @/other.json") == differences)
      #expect(try await shell.run("schema diff @/schema.json") == Outcome())
      let told = try await shell.run("schema diff @/other.json --rename City.population:area")
      #expect(told.output.hasPrefix("City.population: is called area\n"))
      #expect(told.output.contains("City.area: int becomes double? (destructive)\n"))
      #expect(try await shell.run("schema diff @/other.json --rename City.none:area").code == 1)
      let refusal = """
        gatehouse: This would lose data, or objects could not follow; “destructive=true” does it.
          City.population: This change needs “destructive=true”.
        With --destructive it is done nevertheless.

        """
      #expect(try await shell.run("schema apply @/other.json") == Outcome(code: 1, error: refusal))
      let same = try await shell.run("schema apply @/schema.json")
      #expect(same == Outcome(error: "1 classes, nothing to change\n"))
      let applied = try await shell.run("schema apply @/other.json --destructive")
      #expect(applied == Outcome(error: "1 classes, version 3\n"))
    }
  }

  @Test func `a key is shown once, listed without its secret, and revoked`() async throws {
    try await withCities { shell async throws in
      let created = try await shell.run("key create --role read --class City --name Ann")
      let text = try #require(created.output.wholeMatch(of: /gk_([0-9a-f]{24})_[0-9a-f]{64}\n/))
      #expect(created == Outcome(output: String(text.0)))
      let listed = Outcome(output: "\(text.1)\tread\tCity\tAnn\n")
      #expect(try await shell.run("key list") == listed)
      #expect(try await shell.run("key revoke \(text.1)") == Outcome())
      #expect(try await shell.run("key list") == Outcome())
      let again = Outcome(code: 1, error: "gatehouse: there is no key '\(text.1)'\n")
      #expect(try await shell.run("key revoke \(text.1)") == again)
    }
  }

  @Test(arguments: [
    (
      "key create --role nobody", 2 as Int32,
      "--role must be admin, write, read, metrics, or a role that PUT /v1/roles defined, not 'nobody'"
    ),
    ("key create --role read --class Town", 1, "there is no class 'Town'"),
  ])
  func `a key for what is not there is not made`(command: String, code: Int32, error: String) async throws {
    try await withCities { shell async throws in
      #expect(try await shell.run(command) == Outcome(code: code, error: "gatehouse: \(error)\n"))
      #expect(try await shell.run("key list") == Outcome())
    }
  }

  @Test func `a store is checked, backed up once, and served from its copy`() async throws {
    try await withCities { shell async throws in
      #expect(try await shell.run("check") == Outcome(error: "no faults\n"))
      let copied = try await shell.run("backup @/copy")
      #expect(copied.code == 0 && copied.error.wholeMatch(of: /@\/copy: [0-9]+ KiB copied\n/) != nil)
      let refusal = Outcome(code: 1, error: "gatehouse: @/copy holds a store already.\n")
      #expect(try await shell.run("backup @/copy") == refusal)
      #expect(try await shell.run("export City --data @/copy") == shell.run("export City"))
      #expect(try await shell.run("backup @/copy2").code == 0)
      let restored = try await shell.run("restore @/copy2 @/new")
      #expect(restored.code == 0 && restored.error.hasSuffix("Z, version 2\n"), "\(restored)")
      #expect(try await shell.run("export City --data @/new") == shell.run("export City"))
    }
  }

  @Test func `compacting tells the size before and after`() async throws {
    try await withCities { shell async throws in
      let outcome = try await shell.run("compact")
      #expect(outcome.code == 0)
      #expect(outcome.error.wholeMatch(of: /[0-9]+ KiB before, [0-9]+ KiB after\n/) != nil)
      #expect(try await shell.run("export City").error == "City: 2 objects exported\n")
    }
  }

  @Test func `a trail without events is whole, and its anchor is where every chain begins`() async throws {
    try await withCities { shell async throws in
      let verified = try await shell.run("audit verify")
      #expect(verified == Outcome(error: "0 events, none of them changed\n"))
      let zeros = String(repeating: "0", count: 64)
      #expect(
        try await shell.run("audit anchor") == Outcome(output: "{\"chain\":\"\(zeros)\",\"events\":0}\n"))
      #expect(try await shell.run("audit export") == Outcome())
    }
  }

  @Test func `recorded imports and exports are in the trail, which an anchor passes`() async throws {
    let recorded = [("GATEHOUSE_AUDIT_ALWAYS", "City:read+write")]
    try await withCities { shell async throws in
      _ = try await shell.run("export City", environment: recorded)
      try shell.write(#"{"name": "Thun", "population": 43000}"#, to: "more.ndjson")
      _ = try await shell.run("import City @/more.ndjson", environment: recorded)
      let trail = try await shell.run("audit export")
      let events = trail.output.split(separator: "\n").compactMap { $0.firstMatch(of: /"event":"(\w+)"/)?.1 }
      #expect(trail.code == 0 && events == ["read", "write"])
      try shell.write(try await shell.run("audit anchor").output, to: "anchors")
      let verified = try await shell.run("audit verify --anchor @/anchors")
      #expect(verified == Outcome(error: "2 events, none of them changed\n1 anchors met\n"))
      try shell.write("nothing", to: "anchors")
      let refused = Outcome(code: 1, error: "gatehouse: @/anchors, line 1: this is no anchor\n")
      #expect(try await shell.run("audit verify --anchor @/anchors") == refused)
    }
  }

  @Test func `no server is no health`() async throws {
    try await Shell.with { shell async throws in
      let error = "gatehouse: nothing healthy answers at 127.0.0.1:1\n"
      #expect(try await shell.run("health --listen 127.0.0.1:1") == Outcome(code: 1, error: error))
    }
  }

  @Test(arguments: [
    "key create --role admin", "key list", "key revoke 0123456789abcdef01234567", "users import x",
  ])
  func `keys and users belong to an app, and not to a group of its classes`(command: String) async throws {
    try await Shell.with { shell in
      let outcome = try await shell.run("\(command) --app shop/archive")
      #expect(
        outcome.error.hasPrefix(
          "gatehouse: --app must be shop: keys and users belong to an app, whatever groups its classes are in"
        ),
        "\(outcome.error)")
      #expect(outcome.code == 2)
    }
  }
}
