import FoundationEssentials
import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseSeeded
import GatehouseStorage
import Glibc
import Testing

/// Files that somebody else has written to: each use of one ends in an answer or an error, and what `check` calls whole
/// can be read to its end.
struct HostileFileTests {
  /// `GATEHOUSE_FILES` asks for more damaged files than the test command has time for, from `GATEHOUSE_SEED` on.
  static let count = ProcessInfo.processInfo.environment["GATEHOUSE_FILES"].flatMap { Int($0) } ?? 60
  static let seed = ProcessInfo.processInfo.environment["GATEHOUSE_SEED"].flatMap { UInt64($0) } ?? 1

  @Test func `values that others wrote into a file trap nothing`() async throws {
    try await damageFiles { file, generator in
      (0..<Int.random(in: 1...2, using: &generator)).map { _ in file.overwriteValue(&generator) }
        .joined(separator: "; ")
    }
  }

  @Test func `bytes that a disk turned over trap nothing`() async throws {
    try await damageFiles { file, generator in try file.overwriteBytes(&generator) }
  }

  /// Whether each file's damage is printed before it is used: what traps has no other trace.
  static let isTraced = ProcessInfo.processInfo.environment["GATEHOUSE_SEED"] != nil

  private func damageFiles(
    _ damage: (DamagedFile, inout SeededGenerator) throws -> String
  ) async throws {
    let original = try await DamagedFile.original()
    for seed in Self.seed..<Self.seed + UInt64(Self.count) {
      var generator = SeededGenerator(seed: seed)
      let file = try DamagedFile(copying: original)
      let damage = try damage(file, &generator)
      if Self.isTraced { print("\(seed): \(damage.prefix(300))") }
      let violations = try? file.violations()
      let problems = await file.read()
      if violations == [] {
        #expect(problems == [], "seed \(seed): \(damage.prefix(300))")
      }
      await file.write()
      _ = try? file.violations()
    }
  }
}

/// A copy of a store of all types, of which parts are overwritten.
private final class DamagedFile {
  private static let schema = """
    [{"name":"A","primaryKey":"id","properties":{"id":"int","s":{"type":"string","indexed":true},"day":"date?",
      "oid":"objectId?","uuid":"uuid?","price":"decimal128?","d":"double?","f":"float?","b":"bool?","data":"data?",
      "link":"A?","list":"string[]","dates":"date[]","set":"mixed<>","map":"mixed{}","links":"A[]","linkMap":"A?{}",
      "e":"E?","es":"E[]","m":"mixed","text":{"type":"string","indexed":"full-text"},
      "back":{"type":"linkingObjects","objectType":"A","property":"link"}}},
     {"name":"E","embedded":true,"properties":{"n":"int","at":"date?"}},
     {"name":"B","properties":{"x":"mixed"}}]
    """

  let directory: String

  var database: String { "\(directory)/gatehouse.db" }

  /// The store that is damaged: closed, its file without a write-ahead log.
  static func original() async throws -> TemporaryStore {
    let store = try await TemporaryStore(schema)
    for id in 0..<6 {
      try await store.perform(
        store.creation(
          "A",
          """
          {"id":\(id),"s":"text \(id)","day":"2024-01-0\(id + 1)T00:00:00Z","oid":"65a1b2c3d4e5f6a7b8c9d0e\(id)",
           "uuid":"6e8bc430-9c3a-11d9-9669-0800200c9a6\(id)","price":"\(id).5","d":\(id).25,"f":1.5,"b":true,
           "data":"AQID","list":["a","b","c"],"dates":["2024-01-01T00:00:00Z"],"set":[1,"a",2.5],
           "map":{"k":{"$ref":"A","$id":\(id)},"l":[1,{"x":2}]},"links":[\(id)],"linkMap":{"me":\(id),"no":null},
           "link":\(id),"e":{"n":1,"at":"2024-01-01T00:00:00Z"},"es":[{"n":2},{"n":3}],
           "m":{"a":[1,"two",{"$ref":"A","$id":\(id)}]},"text":"some words to find \(id)"}
          """))
    }
    for id in 0..<3 { try await store.create("B", #"{"x":\#(id)}"#) }
    try await store.perform(store.patch("A", .int(1), #"{"list":["x","y"],"map":{"z":1}}"#))
    try await store.perform(store.patch("A", .int(2), #"{"s":"other","m":null}"#))
    try await store.close()
    return store
  }

  init(copying original: TemporaryStore) throws {
    var template = Array("\(original.directory)-damaged-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw StorageError.notWritable(original.directory) }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    try FileManager.default.copyItem(atPath: original.database, toPath: "\(directory)/gatehouse.db")
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  // MARK: Damage

  private static let values = [
    "9223372036854775807", "-9223372036854775808", "9223372036854775806", "-1", "0", "7", "1e999", "-1e999",
    "0.5", "NULL", "''", "'T9999999999999999999'", "'-9999999999999999999.999'", "'T9223372036854775807'",
    "'-0000000000000000000'", "'9999-99-99T99:99:99'", "'2024-02-30T00:00:00'", "x''", "x'ff'", "x'00'",
    "CAST(x'ff' AS TEXT)", "CAST(x'61c3' AS TEXT)", "CAST(x'6100' AS TEXT)", "'NaN'", "'x'",
    "zeroblob(70000)",
    "x'09ffffffffffffffff0100000041'", "x'09ffffffffffffff7f0100000041'", "x'090000000000000000010000005a'",
    "x'06ffffffffffffff7f00000000'", "x'06000000000000000000ca9a3b'", "x'04ffffffffffffffffffffffffffffffff'",
    "x'0bff'", "x'0b0e0100000061000e010000006100ff'", "x'0b0e0100000000\("00")ff'", "x'0e01000000ff'", "'[]'",
    "'{}'",
    "x'05ffffffff'", "x'0d'", "'9999999999999999999999'", "'1E+9999'", "'Infinity'",
    "x'\(String(repeating: "0a", count: 100_000))'",
  ]

  /// Sets some values of one column to one of ``values``, or to a damaged copy of what they were; returns what was done.
  func overwriteValue(_ generator: inout SeededGenerator) -> String {
    do {
      let tables = try Raw(database).texts(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
      let table = tables.randomElement(using: &generator) ?? ""
      let columns = try Raw(database).texts("SELECT name FROM pragma_table_info('\(table)') ORDER BY cid")
      let column = columns.randomElement(using: &generator) ?? ""
      let (cut, byte) = (
        Int.random(in: 1...40, using: &generator), Int.random(in: 0...255, using: &generator)
      )
      var hexadecimal = String(byte, radix: 16)
      if byte < 16 { hexadecimal = "0" + hexadecimal }
      let piece = "substr(CAST(\"\(column)\" AS BLOB), 1, \(cut)) || x'\(hexadecimal)'"
      let rest = " || substr(CAST(\"\(column)\" AS BLOB), \(cut + 2))"
      let type = Bool.random(using: &generator) ? "BLOB" : "TEXT"
      let value =
        switch Int.random(in: 0...4, using: &generator) {
        case 0: "CAST(\(piece)\(rest) AS \(type))"
        case 1: "CAST(\(piece) AS \(type))"
        default: Self.values.randomElement(using: &generator) ?? ""
        }
      var sql = #"UPDATE OR IGNORE "\#(table)" SET "\#(column)" = \#(value)"#
      if Bool.random(using: &generator) {
        let row = Int.random(in: 0..<8, using: &generator)
        sql += #" WHERE "\#(column)" IS (SELECT "\#(column)" FROM "\#(table)" LIMIT 1 OFFSET \#(row))"#
      }
      try? Raw.execute(sql, on: database)
      return sql
    } catch {
      return "\(error)"
    }
  }

  /// Writes random bytes to random places of the file; returns what was done.
  func overwriteBytes(_ generator: inout SeededGenerator) throws -> String {
    var bytes = try Data(contentsOf: URL(filePath: database))
    var places: [Int] = []
    for _ in 0..<Int.random(in: 1...12, using: &generator) {
      // The pages that are in use by rows are mostly written from their end.
      let place = Int.random(in: 100..<bytes.count, using: &generator)
      bytes[place] = UInt8.random(in: 0...255, using: &generator)
      places.append(place)
    }
    try bytes.write(to: URL(filePath: database))
    return "bytes \(places)"
  }

  // MARK: Use

  func violations() throws -> [Violation] {
    try StoreSnapshot(directory: directory).check { _, _ in }
  }

  /// Reads everything in every form; returns what failed.
  func read() async -> [String] {
    var problems: [String] = []
    do {
      let store = try Store(directory: directory)
      do { try read(store, &problems) } catch { problems.append("\(error)") }
      await store.close()
    } catch {
      problems.append("\(error)")
    }
    return problems
  }

  private func read(_ store: Store, _ problems: inout [String]) throws {
    let reader = try store.makeReader()
    for objectType in store.schema.objectTypes where !objectType.isEmbedded {
      for representation in [.json, .extendedJSON, .bson] as [Representation] {
        do {
          var bytes: [UInt8] = []
          _ = try reader.page(
            Plan(request: QueryRequest(), schema: store.schema, objectType: objectType.name),
            as: representation, framing: .sequence, into: &bytes)
          if representation == .json, String(validating: bytes, as: UTF8.self) == nil {
            problems.append("not UTF-8")
          }
        } catch {
          problems.append("\(objectType.name) as \(representation): \(error)")
        }
      }
      for property in objectType.properties {
        for filter in [
          "\(property.name) == NULL", "\(property.name).@count > 1", "ANY \(property.name) == 1",
        ] {
          guard
            let plan = try? Plan(
              request: QueryRequest(filter: filter), schema: store.schema, objectType: objectType.name)
          else { continue }
          do { _ = try reader.count(plan) } catch { problems.append("\(filter): \(error)") }
        }
        guard
          let sorted = try? Plan(
            request: QueryRequest(sort: property.name), schema: store.schema,
            objectType: objectType.name)
        else { continue }
        do {
          var bytes: [UInt8] = []
          _ = try reader.page(sorted, as: .json, framing: .array, into: &bytes)
        } catch {
          problems.append("sorted by \(property.name): \(error)")
        }
      }
    }
    do {
      var start = LogStart.oldest
      for _ in 0..<50 {
        let page = try reader.changes(from: start, limit: 20, objectType: nil)
        for change in page.changes {
          var bytes: [UInt8] = []
          change.append(as: .json, in: store.schema, to: &bytes)
          change.append(as: .bson, in: store.schema, to: &bytes)
        }
        if page.isLast { break }
        start = .after(page.next)
      }
      _ = try reader.changes(
        from: .time(GatehouseBSON.Date(seconds: 1_700_000_000)), limit: 20, objectType: nil)
    } catch {
      problems.append("changes: \(error)")
    }
  }

  /// Writes a little of everything, whether it succeeds or not.
  func write() async {
    var options = StoreOptions()
    options.logAge = 10
    options.logSize = 1000
    guard let store = try? Store(directory: directory, options: options) else { return }
    func draft(_ json: String, _ objectType: String, _ mode: ObjectType.DraftMode) -> ObjectDraft? {
      guard let type = store.schema[objectType] else { return nil }
      return try? type.draft(from: Value(json: json), in: store.schema, mode: mode)
    }
    for id in [1, 50] as [Int64] {
      if let draft = draft(
        #"{"id":\#(id),"s":"new","link":\#(id),"links":[1,2],"set":[5],"text":"more"}"#, "A", .update)
      {
        _ = try? await store.perform(
          Transaction([.create(objectType: "A", draft: draft, policy: .modified)], returning: .json))
      }
    }
    if let draft = draft(#"{"x":{"$ref":"A","$id":2}}"#, "B", .create) {
      _ = try? await store.perform(
        Transaction([.create(objectType: "B", draft: draft, policy: .error)], returning: .json))
    }
    if let type = store.schema["A"],
      let patch = try? type.patch(from: Value(json: #"{"list":["q"],"e":{"n":9},"m":[1]}"#), in: store.schema)
    {
      _ = try? await store.perform(
        Transaction(
          [.update(objectType: "A", id: .int(3), patch: patch, precondition: .none)], returning: .bson))
    }
    for id in [0, 4, 1] as [Int64] {
      _ = try? await store.perform(
        Transaction([.delete(objectType: "A", id: .int(id), precondition: .none)], returning: .json))
    }
    if let wider = try? Schema(
      notation: Value(json: Self.schema.replacing(#""x":"mixed""#, with: #""x":"mixed","y":"int""#)))
    {
      _ = try? await store.apply(wider, destructive: true)
    }
    _ = try? await store.shortenLog()
    await store.close()
  }
}
