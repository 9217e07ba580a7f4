import GatehouseBSON
import GatehouseConformance
import GatehouseModel
import GatehouseTestSupport
import Testing

/// The corpora over HTTP: a real store behind a real server, each query in a URL, in the content of QUERY, and in
/// that of POST.
@Suite struct ServedCorpusTests {
  static let shared = try? Corpus()

  @Test(
    .enabled(if: shared != nil, "../shared/conformance/rql.json is not there"),
    arguments: shared?.datasets ?? [])
  func `the server answers realm-core's queries as realm-core does`(_ dataset: Dataset) async throws {
    try await replay(dataset)
  }

  @Test(arguments: try Corpus.own().datasets)
  func `the server answers the project's own corpus`(_ dataset: Dataset) async throws {
    try await replay(dataset)
  }

  @Test(.enabled(if: shared != nil, "../shared/conformance/rql.json is not there"))
  func `the server finds realm-core's queries to parse, or not`() async throws {
    let schema = Schema([ObjectType(name: "Empty", properties: [])])
    let corpus = try #require(Self.shared)
    try await ServedStore.with(schema) { connection in
      for (query, parses) in corpus.parseOnly {
        let answer = try connection.send(
          "POST", "/v1/query", json: Document.query(["from": .string("Empty"), "filter": .string(query)]))
        let isWellFormed = answer.status == 200 || !Self.isSyntactic(answer)
        #expect(isWellFormed == parses, "\(query): \(answer.content)")
      }
    }
  }

  private func replay(_ dataset: Dataset) async throws {
    try await ServedStore.with(dataset.schema, drafts: dataset.drafts) { connection in
      for example in dataset.cases {
        guard !example.tags.contains("internal_key"), Exceptions.reasons[example.id] == nil else { continue }
        let request = CorpusRequest(example, dataset)
        let answer = try connection.send("POST", "/v1/query", json: request.posted)
        let queried = try connection.send("QUERY", request.path, json: request.queried)
        #expect(queried.withoutRequestID == answer.withoutRequestID, "\(example.id)")
        let got = try connection.send("GET", request.target)
        #expect(got.withoutRequestID == answer.withoutRequestID, "\(example.id)")
        try check(answer, example, dataset)
      }
    }
  }

  private func check(
    _ answer: LoopbackConnection.Answer, _ example: Case, _ dataset: Dataset
  ) throws {
    let name = "\(example.id) \(example.query): \(answer.content.prefix(300))"
    guard answer.status == 200 else {
      guard case .error = example.expectation else {
        Issue.record("\(name)")
        return
      }
      #expect(answer.status == 400 && answer.content.contains(#""code":"invalid_query""#), "\(name)")
      return
    }
    let keys = try dataset.keys(in: answer.content, of: example.objectType)
    switch example.expectation {
    case .keys(let expected, isOrdered: true): #expect(keys == expected, "\(name)")
    case .keys(let expected, isOrdered: false): #expect(keys.sorted() == expected.sorted(), "\(name)")
    case .count(let count): #expect(keys.count == count, "\(name)")
    case .first(let first): #expect(keys.first == first, "\(name)")
    case .error: Issue.record("no error: \(name)")
    }
  }

  /// Whether the problem is one of words or grammar.
  private static func isSyntactic(_ answer: LoopbackConnection.Answer) -> Bool {
    [
      "text_too_long", "too_deep", "too_many_terms", "invalid_character", "unterminated_string",
      "invalid_escape", "invalid_base64", "invalid_timestamp", "number_out_of_range", "unexpected_token",
      "invalid_subquery_variable",
    ].contains { answer.content.contains("\"code\":\"\($0)\"") }
  }
}

/// One query of a corpus in its three forms. The answer has nothing but what identifies each object.
private struct CorpusRequest {
  private let example: Case
  private let fields: String

  init(_ example: Case, _ dataset: Dataset) {
    self.example = example
    fields = (dataset.schema[example.objectType]?.primaryKey?.name ?? "_key").replacing(" ", with: "\\ ")
  }

  var path: String { "/v1/collections/\(example.objectType.percentEncoded)" }

  var target: String {
    let arguments = Value.array(example.arguments).extendedJSON
    return path + "?filter=\(example.query.percentEncoded)&fields=\(fields.percentEncoded)&limit=1000"
      + (example.arguments.isEmpty
        ? "" : "&args=\(String(decoding: arguments, as: UTF8.self).percentEncoded)")
  }

  var queried: [UInt8] { Document.query(members) }

  var posted: [UInt8] {
    Document.query(
      Document([Document.Element(key: "from", value: .string(example.objectType))] + members.elements))
  }

  private var members: Document {
    [
      "filter": .string(example.query), "args": .array(example.arguments), "fields": .string(fields),
      "limit": .int32(1000),
    ]
  }
}

extension LoopbackConnection.Answer {
  /// The answer without the parts that differ between equal requests.
  fileprivate var withoutRequestID: Self {
    Self(status: status, content: content.replacing(/"requestId":"[^"]*"/, with: ""))
  }
}

extension Document {
  /// As Extended JSON, which keeps the types of arguments.
  fileprivate static func query(_ document: Document) -> [UInt8] {
    Value.document(document).extendedJSON
  }
}

extension Dataset {
  /// The keys of the objects in an answer, which tells them by what clients identify them by.
  fileprivate func keys(in content: String, of objectType: String) throws -> [Int64] {
    let known = Dictionary(
      (objects[objectType] ?? []).map {
        (identifier(of: objectType, key: $0.key.value).spelling, $0.key.value)
      },
      uniquingKeysWith: { first, _ in first })
    guard case .array(let found) = try Value(json: Array(content.utf8), as: .plain) else { return [] }
    return found.map { object in
      guard case .document(let document) = object, let only = document.elements.first else { return -1 }
      return known[only.value.spelling] ?? -1
    }
  }
}

extension Value {
  /// One spelling for identifiers of any type.
  fileprivate var spelling: String {
    switch self {
    case .int32(let value): "\(value)"
    case .int64(let value): "\(value)"
    case .string(let value): value
    case .objectID(let value): "\(value)"
    case .uuid(let value): "\(value)"
    default: "\(self)"
    }
  }
}
