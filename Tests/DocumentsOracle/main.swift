import GatehouseBSON
import GatehouseDocuments
import Glibc

// Answers what an oracle asks, for comparison: a line of Extended JSON in, a line out.

/// A question: the documents of a collection, and what is to be done with them.
struct Question {
  let members: Document
  let documents: [Document]

  init(_ text: String) throws {
    guard case .document(let members) = try Value(json: text) else {
      throw DocumentsError(.badValue, "no document")
    }
    self.members = members
    documents = Self.documents(members["documents"])
  }

  private static func documents(_ value: Value?) -> [Document] {
    guard case .array(let values)? = value else { return [] }
    return values.compactMap { if case .document(let document) = $0 { document } else { nil } }
  }

  private func document(_ name: String) -> Document? {
    if case .document(let document)? = members[name] { document } else { nil }
  }

  private func integer(_ name: String) -> Int? {
    switch members[name] {
    case .int32(let int)?: Int(int)
    case .int64(let int)?: Int(int)
    default: nil
    }
  }

  private var isMany: Bool { members["multi"] == .bool(true) }

  private var context: PipelineContext {
    var collections: [String: [Document]] = [:]
    for element in document("collections")?.elements ?? [] {
      collections[element.key] = Self.documents(element.value)
    }
    return PipelineContext(
      scope: Scope(now: Date(milliseconds: 1_700_000_000_000)),
      collections: Collections(collections: collections))
  }

  func answer() throws -> Value {
    switch members["op"] {
    case .string("find"): return .array(try found().map { .document($0) })
    case .string("count"):
      let query = try FindQuery(filter: document("filter") ?? Document())
      return .int64(Int64(try query.count(over: DocumentList(documents), in: context)))
    case .string("distinct"):
      guard case .string(let key)? = members["key"] else { return .null }
      let filter = try Filter(document("filter") ?? Document())
      return .array(
        try DistinctValues(of: key, filter: filter).values(over: DocumentList(documents), in: context))
    case .string("update"): return .array(try updated().map { .document($0) })
    case .string("aggregate"):
      guard case .array(let stages)? = members["pipeline"] else { return .null }
      return .array(try rest(Pipeline(stages).run(over: DocumentList(documents), in: context)))
    default: throw DocumentsError(.badValue, "unknown op")
    }
  }

  private func rest(_ cursor: any DocumentCursor) throws -> [Value] {
    var values: [Value] = []
    while let document = try cursor.next() { values.append(.document(document)) }
    return values
  }

  private func found() throws -> [Document] {
    let query = try FindQuery(
      filter: document("filter") ?? Document(), sort: document("sort"), skip: integer("skip") ?? 0,
      limit: integer("limit"), projection: document("projection"))
    let cursor = try query.run(over: DocumentList(documents), in: context)
    var results: [Document] = []
    while let document = try cursor.next() { results.append(document) }
    return results
  }

  private func updated() throws -> [Document] {
    let filter = try Filter(document("filter") ?? Document())
    let update = try Update(
      members["update"] ?? .null, arrayFilters: Self.documents(members["arrayFilters"]))
    var (results, count) = (documents, 0)
    for (index, document) in documents.enumerated() where isMany || count == 0 {
      guard try filter.matches(document, in: context.scope) else { continue }
      count += 1
      results[index] = try update.apply(to: document, matching: filter, in: context.scope).document
    }
    if count == 0, members["upsert"] == .bool(true) {
      results.append(try update.inserted(for: filter, in: context.scope, makeID: { .string("new") }))
    }
    return results
  }
}

/// The other collections of a question.
struct Collections: DocumentCollections {
  let collections: [String: [Document]]

  func documents(
    of collection: String, in database: String?, filter: Filter?
  ) throws(DocumentsError) -> any DocumentCursor {
    DocumentList(collections[collection] ?? [])
  }
}

func send(_ bytes: [UInt8]) {
  var sent = 0
  while sent < bytes.count {
    let length = bytes.withUnsafeBytes {
      write(STDOUT_FILENO, $0.baseAddress?.advanced(by: sent), bytes.count - sent)
    }
    guard length > 0 else { exit(1) }
    sent += length
  }
}

while let line = readLine() {
  let answer: Value
  do {
    answer = ["ok": try Question(line).answer()]
  } catch let error as DocumentsError {
    answer = ["error": .string(error.message), "code": .int32(Int32(error.code.number))]
  } catch {
    answer = ["error": .string("\(error)"), "code": .int32(0)]
  }
  send(answer.extendedJSON + [UInt8(ascii: "\n")])
}
