import GatehouseBSON
import GatehouseConformance
import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Testing

@Suite struct CorpusStoreTests {
  static let corpus = try? Corpus()

  @Test(
    .enabled(if: corpus != nil, "../shared/conformance/rql.json is not there"),
    arguments: corpus?.datasets ?? [])
  func `the store answers realm-core's queries as realm-core does`(_ dataset: Dataset) async throws {
    try await check(dataset)
  }

  @Test(arguments: try Corpus.own().datasets)
  func `the store answers the project's own corpus`(_ dataset: Dataset) async throws {
    try await check(dataset)
  }

  private func check(_ dataset: Dataset) async throws {
    let store = try await TemporaryStore(dataset.schema)
    let operations = dataset.schema.objectTypes.filter { !$0.isEmbedded }.flatMap { type in
      dataset.drafts(of: type.name).map {
        Operation.create(objectType: type.name, draft: $0, policy: .error)
      }
    }
    _ = try await store.store.perform(Transaction(operations))
    for example in dataset.cases {
      guard !example.tags.contains("internal_key"), Exceptions.reasons[example.id] == nil else { continue }
      #expect(
        throws: Never.self, "\(example.id) \(example.query)"
      ) { try check(example, dataset, store) }
    }
  }

  private func check(_ example: Case, _ dataset: Dataset, _ store: TemporaryStore) throws {
    let keys: [Int64]
    do {
      keys = try matches(example, dataset, store)
    } catch let error as QueryError {
      guard case .error = example.expectation else { throw error }
      return
    }
    switch example.expectation {
    case .keys(let expected, isOrdered: true): #expect(keys == expected, "\(example.id) \(example.query)")
    case .keys(let expected, isOrdered: false):
      #expect(keys.sorted() == expected.sorted(), "\(example.id) \(example.query)")
    case .count(let count): #expect(keys.count == count, "\(example.id) \(example.query)")
    case .first(let first): #expect(keys.first == first, "\(example.id) \(example.query)")
    case .error: Issue.record("\(example.id) \(example.query): no error")
    }
  }

  /// The keys of the matching objects, which the store tells by what clients identify them by.
  private func matches(_ example: Case, _ dataset: Dataset, _ store: TemporaryStore) throws -> [Int64] {
    let identifier = dataset.schema[example.objectType]?.primaryKey?.name ?? "_key"
    let request = QueryRequest(
      filter: example.query, arguments: example.arguments,
      selection: FieldSelection(fields: identifier.replacing(" ", with: "\\ ")))
    let keys = (dataset.objects[example.objectType] ?? []).map(\.key.value)
    let known = Dictionary(
      keys.map { (dataset.identifier(of: example.objectType, key: $0).plainText, $0) },
      uniquingKeysWith: { first, _ in first })
    let count = try store.count(example.objectType, request)
    let found = try store.page(example.objectType, request).objects.map { line in
      known[try Value(json: line, as: .plain).only.plainText] ?? -1
    }
    #expect(count == found.count, "\(example.id) \(example.query): count")
    return found
  }
}

extension Value {
  /// The value of a document's one element.
  fileprivate var only: Value {
    if case .document(let document) = self, let element = document.elements.first {
      element.value
    } else {
      .null
    }
  }

  /// One spelling for identifiers of any type.
  fileprivate var plainText: String {
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
