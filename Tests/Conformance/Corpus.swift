import FoundationEssentials
public import GatehouseBSON
public import GatehouseModel

/// Realm's own cases: facts from the test suite of realm-core.
public struct Corpus: Sendable {
  public let datasets: [Dataset]
  /// Queries that only have to parse, or not.
  public let parseOnly: [(query: String, parses: Bool)]

  /// Nil where the file is not there.
  public init?() throws {
    guard let bytes = SharedFolder.bytes(of: "conformance/rql.json") else { return nil }
    try self.init(bytes)
  }

  /// The project's own cases, in the same form: `Tests/Corpus/rql.json`.
  public static func own() throws -> Corpus {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return try Corpus([UInt8](Data(contentsOf: tests.appending(path: "Corpus/rql.json"))))
  }

  private init(_ bytes: [UInt8]) throws {
    let root = try Value(json: bytes, as: .plain).document
    let derived = (root["derived"]?.document).map { [$0] } ?? []
    datasets = try ((root["datasets"]?.array ?? []).map(\.document) + derived).map { try Dataset($0) }
    parseOnly = (root["parse_only"]?.array ?? []).map { value in
      (value.document["query"]?.string ?? "", value.document["expect"]?.document["parses"] == .bool(true))
    }
  }
}

/// A schema, its objects, and queries of them.
public struct Dataset: Sendable, CustomStringConvertible {
  /// An object: its key, and what is given for each of its properties.
  public struct Object: Sendable {
    public let key: ObjectKey
    public let values: [Value]
  }

  public let name: String
  public let schema: Schema
  public let objects: [String: [Object]]
  public let cases: [Case]

  public var description: String { name }

  init(_ document: Document) throws {
    name = document["id"]?.string ?? ""
    let schema = Schema((document["schema"]?.array ?? []).map { ObjectType(corpus: $0.document) })
    self.schema = schema
    var objects: [String: [Object]] = [:]
    for element in document["objects"]?.document.elements ?? [] {
      guard let type = schema[element.key] else { continue }
      objects[element.key] = element.value.array.map { value in
        let object = value.document
        return Object(
          key: ObjectKey(object["_key"]?.int ?? 0),
          values: type.properties.map { object[$0.name] ?? .null })
      }
    }
    self.objects = objects
    cases = try (document["cases"]?.array ?? []).map {
      try Case($0.document, schema: schema, objects: objects)
    }
  }
}

/// A query and what it must give.
public struct Case: Sendable {
  public enum Expectation: Sendable {
    /// The keys of the matching objects, in this order or in any.
    case keys([Int64], isOrdered: Bool)
    case count(Int)
    /// The key of the first match.
    case first(Int64?)
    /// An error of that class, or of any.
    case error(String)
  }

  public let id: String
  public let objectType: String
  public let query: String
  public let arguments: [Value]
  public let tags: [String]
  public let expectation: Expectation

  init(_ document: Document, schema: Schema, objects: [String: [Dataset.Object]]) throws {
    id = document["id"]?.string ?? ""
    objectType = document["class"]?.string ?? ""
    query = document["query"]?.string ?? ""
    arguments = (document["args"]?.array ?? []).map { $0.argument(schema, objects) }
    tags = (document["tags"]?.array ?? []).map(\.string)
    expectation = Self.expectation(document, document["expect"]?.document ?? Document())
  }

  private static func expectation(_ document: Document, _ expected: Document) -> Expectation {
    if let error = expected["error"] {
      return .error(
        document["error_kind_derived"]?.string ?? expected["error_kind_derived"]?.string ?? error.string)
    }
    if let first = expected["first"] { return .first(first == .null ? nil : first.int) }
    if let keys = expected["keys"] {
      return .keys(keys.array.map(\.int), isOrdered: expected["ordered"] == .bool(true))
    }
    if let keys = document["derived_keys"] { return .keys(keys.array.map(\.int), isOrdered: false) }
    return .count(Int(expected["count"]?.int ?? -1))
  }
}
