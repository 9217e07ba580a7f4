import GatehouseBSON
import GatehouseDocuments
import GatehouseFeeds
import GatehouseModel
import GatehouseStorage

// Commands that are parts of a function's transaction.
extension DataCollection {
  /// Whether an object has been made by others since the transaction has begun.
  func isNew(_ objectType: String, _ id: Mixed) async throws -> Bool {
    guard call.transaction != nil else { return false }
    return try await read(records: false) { collections in
      let written = collections.writes[objectType]?.first { MixedOrder.sortOrder($0.key, id) == 0 }
      if let written { return written.value == nil }
      return try collections.reader.version(objectType, id: id) == nil
    }
  }
}

extension DataSource {
  /// Commits the transaction that the call is a part of. Throws ``DataSourceError/writeConflict`` where others have changed the
  /// same documents.
  func commit(_ call: Call, _ transaction: FunctionTransaction) async throws {
    let operations = try transaction.close()
    if operations.isEmpty { return }
    do {
      _ = try await events.data.perform(Transaction(operations), for: call)
    } catch let error as OperationError {
      switch error.reason {
      // None of these was so when the command was performed.
      case .objectExists, .notUnique, .versionMismatch, .objectNotFound, .schemaChanged, .linkTargetNotFound:
        throw DataSourceError.writeConflict
      default: throw error
      }
    }
  }
}

/// The documents of a class as a transaction sees them: those that it has written, and the others as they were when it began.
final class WrittenDocuments: DocumentCursor {
  private let written: [Mixed: [UInt8]?]
  private let others: any DocumentCursor
  private let documents: DocumentClass
  private var rest: [[UInt8]]

  init(_ written: [Mixed: [UInt8]?], over others: any DocumentCursor, of documents: DocumentClass) {
    (self.written, self.others, self.documents) = (written, others, documents)
    rest = written.values.compactMap(\.self)
  }

  func next() throws(DocumentsError) -> Document? {
    while let document = try others.next() {
      guard let id = try? documents.identifier(of: document), written[id] == nil else { continue }
      return document
    }
    guard let bytes = rest.popLast() else { return nil }
    guard let object = try? Document(bson: bytes) else {
      throw DocumentsError(.badValue, "an object of the transaction cannot be read")
    }
    return documents.document(of: object)
  }
}
