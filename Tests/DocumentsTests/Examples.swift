import GatehouseBSON
import GatehouseDocuments
import Testing

/// Documents and parts of the language, written as Extended JSON.
func value(_ text: String) throws -> Value { try Value(json: text) }

func document(_ text: String) throws -> Document {
  guard case .document(let document) = try Value(json: text) else { throw DocumentsError(.badValue, text) }
  return document
}

func documents(_ text: String) throws -> [Document] {
  guard case .array(let values) = try Value(json: text) else { throw DocumentsError(.badValue, text) }
  return values.compactMap { if case .document(let document) = $0 { document } else { nil } }
}

let now = Date(milliseconds: 1_700_000_000_000)

/// Other collections, by their names.
struct NamedCollections: DocumentCollections {
  var collections: [String: [Document]] = [:]

  func documents(
    of collection: String, in database: String?, filter: Filter?
  ) throws(DocumentsError) -> any DocumentCursor {
    DocumentList(collections[collection] ?? [])
  }
}

func context(_ collections: [String: [Document]] = [:], memory: Int = 1 << 24) -> PipelineContext {
  PipelineContext(
    scope: Scope(now: now, budget: Budget(memory: memory)),
    collections: NamedCollections(collections: collections))
}

/// The documents that a pipeline makes.
func aggregate(
  _ pipeline: String, over input: String, with collections: [String: String] = [:]
) throws -> Value {
  guard case .array(let stages) = try value(pipeline) else { throw DocumentsError(.badValue, pipeline) }
  let context = context(try collections.mapValues(documents))
  let cursor = try Pipeline(stages).run(over: DocumentList(documents(input)), in: context)
  var results: [Value] = []
  while let document = try cursor.next() { results.append(.document(document)) }
  return .array(results)
}

/// Compares as MongoDB does: numbers by value, members in their order.
func expectSame(_ ours: Value?, _ theirs: String, _ comment: String = "") throws {
  let isSame = try ours.map { try ValueOrder.isEqual($0, value(theirs)) } ?? (theirs == "missing")
  let text = ours.map { String(decoding: $0.extendedJSON, as: UTF8.self) } ?? "missing"
  #expect(isSame, "\(comment) gives \(text) and not \(theirs)")
}

/// The error that something ends with.
func error(of body: () throws -> Void) -> DocumentsError? {
  do {
    try body()
    return nil
  } catch {
    return error as? DocumentsError
  }
}
