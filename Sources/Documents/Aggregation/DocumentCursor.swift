public import GatehouseBSON

/// Documents, one after the other. Used by one thread.
public protocol DocumentCursor: AnyObject {
  /// The next document; nil at the end.
  func next() throws(DocumentsError) -> Document?
}

/// Documents that are there already.
public final class DocumentList: DocumentCursor {
  private let documents: [Document]
  private var index = 0

  public init(_ documents: [Document]) { self.documents = documents }

  public func next() throws(DocumentsError) -> Document? {
    guard index < documents.count else { return nil }
    index += 1
    return documents[index - 1]
  }
}

/// Documents that a stage makes of those of the stage before.
final class StageCursor: DocumentCursor {
  private let body: () throws(DocumentsError) -> Document?

  init(_ body: @escaping () throws(DocumentsError) -> Document?) { self.body = body }

  func next() throws(DocumentsError) -> Document? { try body() }
}

extension DocumentCursor {
  /// All documents that are left. Their memory is charged to the budget.
  func rest(charging budget: Budget) throws(DocumentsError) -> [Document] {
    var documents: [Document] = []
    while let document = try next() {
      try budget.step()
      try budget.charge(document.memory)
      documents.append(document)
    }
    return documents
  }
}

/// Collections that stages read beside the pipeline's own: `$lookup`, `$graphLookup`, `$unionWith`.
public protocol DocumentCollections {
  /// The documents of a collection; of one that is not there, no documents.
  ///
  /// - Parameter filter: holds for all documents that are wanted. Others may be given as well: they are left out here.
  func documents(of collection: String, in database: String?, filter: Filter?) throws(DocumentsError)
    -> any DocumentCursor
}
