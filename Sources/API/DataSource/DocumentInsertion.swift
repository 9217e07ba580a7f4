import GatehouseBSON
import GatehouseDocuments
import GatehouseModel
import GatehouseStorage

/// Inserts documents into a collection.
struct DocumentInsertion: Sendable {
  private let collection: DataCollection
  private let documents: DocumentClass

  init(in collection: DataCollection, of documents: DocumentClass) {
    self.collection = collection
    self.documents = documents
  }

  private var call: Call { collection.call }

  /// Inserts documents in their order, and returns their identifiers. The first one that cannot be inserted ends it, as in MongoDB: those
  /// before it are, and the error (``InsertionError``) says so. In a transaction it is all or none.
  ///
  /// The documents that are inserted are one transaction of the store, also then.
  func insert(_ inserted: [Document], isMany: Bool) async throws -> [Value] {
    guard isMany else { return try await insertAll(inserted[...], tellsPlace: false) }
    if call.transaction != nil {
      do { return try await insertAll(inserted[...], tellsPlace: true) } catch let refusal as RefusedDocument
      {
        throw InsertionError(index: refusal.index, inserted: [], reason: refusal.reason)
      }
    }
    var (first, reason): (ArraySlice<Document>, (any Error)?) = (inserted[...], nil)
    while !first.isEmpty {
      do {
        let identifiers = try await insertAll(first, tellsPlace: true)
        guard let reason else { return identifiers }
        precondition(identifiers.count == first.count, "those before the one that is refused are inserted")
        throw InsertionError(index: first.count, inserted: identifiers, reason: reason)
      } catch let refusal as RefusedDocument {
        // Fewer documents each time: an earlier one may have a link to one that is left out.
        precondition(
          refusal.index < first.count, "a document that is refused is one of those that were given")
        (first, reason) = (first.prefix(refusal.index), refusal.reason)
      }
    }
    throw InsertionError(index: 0, inserted: [], reason: reason ?? DataSourceError.noDocuments)
  }

  /// The first document of several that cannot be inserted, by its place among them.
  private struct RefusedDocument: Error {
    let index: Int
    let reason: any Error
  }

  /// Inserts all of the documents, or none, and returns their identifiers.
  ///
  /// - Parameter tellsPlace: whether what is thrown of one document is ``RefusedDocument``.
  private func insertAll(_ inserted: ArraySlice<Document>, tellsPlace: Bool) async throws -> [Value] {
    func refusal(_ index: Int, _ reason: any Error) -> any Error {
      tellsPlace ? RefusedDocument(index: index, reason: reason) : reason
    }
    let inserted = try await identified(Array(inserted))
    let operations = try inserted.enumerated().map { index, document in
      do { return try creation(of: document) } catch { throw refusal(index, error) }
    }
    let commit: Commit
    do { commit = try await collection.perform(operations, as: .insert) } catch let error as OperationError {
      let reason = try await reason(of: error, inserting: inserted)
      let isOfOne = error.reason.isOfOneDocument && inserted.indices.contains(error.operation)
      throw isOfOne ? refusal(error.operation, reason) : reason
    }
    precondition(commit.results.count == inserted.count, "each document that is inserted has its result")
    return zip(inserted, commit.results).map { document, result in
      document[DocumentClass.idName] ?? result.id.value { _ in .null }
    }
  }

  private func creation(of document: Document) throws(DataSourceError) -> GatehouseStorage.Operation {
    .create(
      objectType: documents.type.name, draft: try documents.draft(of: document, mode: .create), policy: .error
    )
  }

  /// Returns the error of the store as clients of a data source know it.
  private func reason(of error: OperationError, inserting inserted: [Document]) async throws -> any Error {
    // Two of the documents have one identifier: whoever repeats the transaction gets the same error.
    if case .objectExists(_, let id) = error.reason, inserted.count(where: { isIdentifier($0, id) }) > 1 {
      return DataSourceError.duplicateKey(collection.namespace)
    }
    return try await collection.told(error, as: .insert)
  }

  private func isIdentifier(_ document: Document, _ id: Mixed) -> Bool {
    guard document[DocumentClass.idName] != nil, let other = try? documents.identifier(of: document) else {
      return false
    }
    return MixedOrder.sortOrder(other, id) == 0
  }

  /// Gives documents of a transaction their identifiers, which they keep when it is committed.
  func identified(_ inserted: [Document]) async throws -> [Document] {
    let idName = DocumentClass.idName
    guard call.transaction != nil, inserted.contains(where: { $0[idName] == nil }) else { return inserted }
    guard documents.type.primaryKey != nil else {
      throw DataSourceError.language(
        DocumentsError(
          .operationNotSupportedInTransaction,
          "Class “\(documents.type.name)” has no primary key: what is inserted has no identifier before the commit"
        ))
    }
    var made = inserted.map { _ in documents.type.madeIdentifier }
    if made.contains(.null) {
      // The store counts them.
      let operations = try inserted.map(creation)
      made = try await collection.data.rehearse(Transaction(operations), for: call).results.map {
        $0.id.value { _ in .null }
      }
    }
    precondition(made.count == inserted.count, "an identifier is made for each document")
    return zip(inserted, made).map { document, id in
      guard document[idName] == nil else { return document }
      return Document([Document.Element(key: idName, value: id)] + document.elements)
    }
  }
}

extension StorageError {
  /// Whether it is about what one operation of several would store.
  fileprivate var isOfOneDocument: Bool {
    switch self {
    case .objectExists, .notUnique, .notPermitted, .invalid, .linkTargetNotFound, .objectTooLarge,
      .quotaExceeded,
      .keysExhausted, .keyOutOfRange, .keyOfOtherStore:
      true
    default: false
    }
  }
}
