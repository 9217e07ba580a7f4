import FoundationEssentials
import GatehouseAPI
import GatehouseBSON
import GatehouseConformance
import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import GatehouseTestSupport
import Testing

/// Objects of all types that are written in a format and read again are the same.
@Suite struct RoundTripTests {
  @Test(arguments: 0..<12) func `what is exported is imported as the same objects`(seed: UInt64) async throws
  {
    var random = RandomAllTypes(seed: seed)
    let drafts = random.drafts().map { Self.withoutMixedSet($0, random.schema) }
    let schema = random.schema
    let first = try await exports(of: drafts, in: schema)
    for (format, bytes) in first {
      let read = try RoundTripTests.drafts(in: bytes, as: format, schema)
      let second = try await exports(of: read, in: schema)
      switch format {
      // BSON has no digits below a millisecond.
      case .bson: #expect(second[.bson] == bytes)
      case .csv, .json, .ndjson:
        let texts = [second, first].map { $0[.ndjson].map { String(decoding: $0, as: UTF8.self) } }
        #expect(texts[0] == texts[1], "\(format)")
      }
    }
  }

  /// The sets have lists in them, which no client can give.
  private static func withoutMixedSet(_ draft: ObjectDraft, _ schema: Schema) -> ObjectDraft {
    let place = schema["AllTypes"]?.index(of: "mixedSet")
    return ObjectDraft(key: draft.key, assignments: draft.assignments.filter { $0.property != place })
  }

  private static func drafts(
    in bytes: [UInt8], as format: SequenceFormat, _ schema: Schema
  ) throws -> [ObjectDraft] {
    let objectType = try #require(schema["AllTypes"])
    var scanner = RecordScanner(format)
    var reader = RecordReader(format, of: objectType, in: schema)
    var rest = bytes[...]
    var drafts: [ObjectDraft] = []
    while let extent = try scanner.next(in: rest, isWhole: true) {
      if let value = try reader.value(of: rest[extent.content]) {
        drafts.append(try objectType.draft(from: value, in: schema, mode: .create))
      }
      rest = rest[extent.next...]
    }
    return drafts
  }

  /// Returns the objects as a store shows them that is made of them, in every format.
  private func exports(
    of drafts: [ObjectDraft], in schema: Schema
  ) async throws -> [SequenceFormat: [UInt8]] {
    let directory = "\(Machine.scratch)/gatehouse-\(FoundationEssentials.UUID())"
    let store = try Store(directory: directory)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    _ = try await store.apply(schema, destructive: false)
    let operations = drafts.map {
      GatehouseStorage.Operation.create(objectType: "AllTypes", draft: $0, policy: .error)
    }
    _ = try await store.perform(Transaction(operations))
    let objectType = try #require(schema["AllTypes"])
    let plan = Plan(objectType: "AllTypes", predicate: .always, projection: .all(of: objectType))
    let reader = try store.makeReader()
    var (lines, documents, array, rows): ([UInt8], [UInt8], [UInt8], [UInt8]) = ([], [], [], [])
    _ = try reader.page(plan, as: .json, framing: .sequence, into: &lines)
    _ = try reader.page(plan, as: .bson, framing: .sequence, into: &documents)
    _ = try reader.page(plan, as: .json, framing: .array, into: &array)
    var table = TableWriter(plan.projection, in: schema)
    table.appendHeader(to: &rows)
    try table.append(lines: lines, to: &rows)
    await store.close()
    return [.ndjson: lines, .bson: documents, .json: array, .csv: rows]
  }
}
