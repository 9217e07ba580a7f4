import GatehouseBSON
import GatehouseStorage

extension DataResult {
  /// The result as clients of App Services get it from a service: realm-core aborts where a number is of another type.
  var value: Value {
    switch self {
    case .documents(let documents): .array(documents.map { .document($0) })
    case .document(let document): document.map { .document($0) } ?? .null
    case .values(let values): .array(values)
    case .count(let count): .int64(Int64(count))
    case .inserted, .updated, .deleted: .document(members)
    }
  }

  /// The result as a document, which is how the Data API answers.
  var members: Document {
    switch self {
    case .documents(let documents): return ["documents": .array(documents.map { .document($0) })]
    case .document(let document): return ["document": document.map { .document($0) } ?? .null]
    case .values(let values): return ["values": .array(values)]
    case .count(let count): return ["count": .int64(Int64(count))]
    case .inserted(let ids, isMany: true): return ["insertedIds": .array(ids)]
    case .inserted(let ids, isMany: false): return ["insertedId": ids[0]]
    case .updated(let matched, let modified, let upserted):
      var members: Document = [
        "matchedCount": .int32(Int32(clamping: matched)), "modifiedCount": .int32(Int32(clamping: modified)),
      ]
      if let upserted { members.append("upsertedId", upserted) }
      return members
    case .deleted(let count): return ["deletedCount": .int32(Int32(clamping: count))]
    }
  }

  /// Returns bytes that `body` makes of the result: of many documents on a thread, so that other clients of the loop do not
  /// wait.
  func encoded(
    for call: Call, by data: DataAccess, _ body: @escaping @Sendable (DataResult) -> [UInt8]
  ) async throws -> [UInt8] {
    guard isLarge else { return body(self) }
    return try await data.store.read(for: call.caller) { _ in body(self) }
  }

  private var isLarge: Bool {
    switch self {
    case .documents(let documents): documents.count > 100
    case .values(let values): values.count > 1_000
    case .inserted(let ids, _): ids.count > 1_000
    case .document, .count, .updated, .deleted: false
    }
  }

  /// Whether a document has come into being.
  var isCreation: Bool {
    switch self {
    case .inserted: true
    case .updated(_, _, let upserted): upserted != nil
    case .documents, .document, .values, .count, .deleted: false
    }
  }
}
