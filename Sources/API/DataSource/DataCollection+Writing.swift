import GatehouseAccess
import GatehouseBSON
import GatehouseDocuments
import GatehouseFeeds
import GatehouseModel
import GatehouseQuery
import GatehouseStorage

/// The outcome of an update for the documents of a collection.
struct UpdateOutcome: Sendable {
  var matched = 0
  var modified = 0
  /// The identifier of the document that was inserted, since none was found.
  var upserted: Value?
  /// The first of the documents before; nil: none was found.
  var before: Document?
  /// The first of the documents, or the inserted one, as it is now.
  var after: Document?
}

// Documents are read and changed outside of the writer: what is written holds as long as nobody has changed them
// meanwhile, by the versions of their objects. Where somebody has, it is done once more.
extension DataCollection {
  /// Attempts until a change is given up. Each time another transaction was committed.
  private static let attempts = 1_000
  /// Attempts to insert a document that was not found, and is there all the same.
  private static let upserts = 10

  /// Changes the documents that a filter finds, or the first one in an order.
  func change(
    _ update: DocumentUpdate, sort: SortPattern? = nil, shows: Bool = false, in documents: DocumentClass
  ) async throws -> UpdateOutcome {
    try requireWritable(documents, .update)
    let query = FindQuery(filter: update.filter, sort: sort, limit: update.isMany ? nil : 1)
    let kept = call.permit?[documents.type.name].fixed ?? []
    var duplicates = 0
    return try await repeating {
      let found = try await read(records: shows) { collections in
        try collections.find(query, in: documents, isForWriting: true) { document in
          if shows { try collections.show(document, of: documents) }
          return try collections.change(document, by: update, of: documents, keeping: kept)
        }
      }
      if found.isEmpty {
        guard update.isUpsert else { return UpdateOutcome() }
        do {
          return try await upsert(update, shows: shows, into: documents)
        } catch DataSourceError.duplicateKey(
          let namespace)
        {
          // Somebody may just have inserted what was looked for; what a transaction sees does not change.
          duplicates += 1
          throw call.transaction == nil && duplicates < Self.upserts
            ? DataSourceError.writeConflict : DataSourceError.duplicateKey(namespace)
        }
      }
      var outcome = UpdateOutcome(matched: found.count, before: found[0].before, after: found[0].before)
      let operations = found.compactMap(\.operation)
      outcome.modified = operations.count
      guard !operations.isEmpty else { return outcome }
      let commit = try await write(operations, as: .update, returning: shows)
      if shows { outcome.after = try documents.document(in: commit.results[0]) }
      return outcome
    }
  }

  private func upsert(
    _ update: DocumentUpdate, shows: Bool, into documents: DocumentClass
  ) async throws -> UpdateOutcome {
    var document = try await read(records: false) { collections in
      try update.update.inserted(
        for: update.filter, in: collections.scope, makeID: { documents.type.madeIdentifier })
    }
    // The store counts them, or knows that there has to be one.
    if document[DocumentClass.idName] == .null {
      document.elements.removeAll { $0.key == DocumentClass.idName }
    }
    document = try await DocumentInsertion(in: self, of: documents).identified([document])[0]
    let draft = try documents.draft(of: document, mode: .create)
    let commit = try await write(
      [.create(objectType: documents.type.name, draft: draft, policy: .error)], as: .insert, returning: shows)
    var outcome = UpdateOutcome()
    outcome.upserted = document[DocumentClass.idName] ?? commit.results[0].id.value { _ in .null }
    if shows { outcome.after = try documents.document(in: commit.results[0]) }
    return outcome
  }

  /// Deletes the documents that a filter finds, or the first one; returns how many.
  func delete(_ filter: Filter, isMany: Bool, in documents: DocumentClass) async throws -> Int {
    try requireWritable(documents, .delete)
    let plan = FilterPlan(filter, for: documents.type)
    // The writer finds them itself. Those of a transaction are known by their identifiers.
    if plan.isExact, isMany || plan.identifier != nil, call.transaction == nil {
      let objects = Plan(
        objectType: documents.type.name, predicate: plan.predicate, projection: .all(of: documents.type))
      return try await write([.each(objects, .delete)], as: .delete).results[0].count
    }
    return try await delete(FindQuery(filter: filter, limit: isMany ? nil : 1), in: documents).count
  }

  /// Deletes the documents that a query finds, and returns the first of them.
  private func delete(
    _ query: FindQuery, shows: Bool = false, in documents: DocumentClass
  ) async throws -> (count: Int, first: Document?) {
    try requireWritable(documents, .delete)
    return try await repeating {
      let found = try await read(records: shows) { collections in
        try collections.find(query, in: documents, isForWriting: true) { document in
          if shows { try collections.show(document, of: documents) }
          return (document, try collections.deletion(of: document, documents))
        }
      }
      if !found.isEmpty { _ = try await write(found.map { $0.1 }, as: .delete) }
      return (found.count, found.first?.0)
    }
  }

  func findAndUpdate(
    _ query: FindQuery, _ update: DocumentUpdate, returnsNew: Bool, in documents: DocumentClass
  ) async throws -> Document? {
    let outcome = try await change(update, sort: query.sort, shows: true, in: documents)
    return try await projected(returnsNew ? outcome.after : outcome.before, by: query)
  }

  func findAndDelete(_ query: FindQuery, in documents: DocumentClass) async throws -> Document? {
    try await projected(try await delete(query, shows: true, in: documents).first, by: query)
  }

  private func projected(_ document: Document?, by query: FindQuery) async throws -> Document? {
    guard let document, let projection = query.projection else { return document }
    return try await read(records: false) { try projection.apply(to: document, in: $0.scope) }
  }
}

extension DataCollection {
  /// Throws ``DataSourceError/notPermitted(_:_:)`` where the caller may change no document of the class.
  func requireWritable(
    _ documents: DocumentClass, _ change: DataSourceError.Change
  ) throws(DataSourceError) {
    do { try call.permit?.requireWritable(documents.type.name) } catch {
      throw .notPermitted(change, namespace)
    }
  }

  /// Performs operations, all or none.
  func write(
    _ operations: [GatehouseStorage.Operation], as change: DataSourceError.Change, returning: Bool = false
  ) async throws -> Commit {
    do { return try await perform(operations, as: change, returning: returning) } catch let error
      as OperationError
    {
      throw try await told(error, as: change)
    }
  }

  /// Performs operations, all or none. Throws ``GatehouseStorage/OperationError`` for what the store has against one of them.
  func perform(
    _ operations: [GatehouseStorage.Operation], as change: DataSourceError.Change, returning: Bool = false
  ) async throws -> Commit {
    do {
      if let transaction = call.transaction {
        return try await transaction.add(operations) { all in
          try await data.rehearse(Transaction(all, returning: .bson), for: call)
        }
      }
      if call.scope.isTrial { return try await data.rehearse(Transaction(operations), for: call) }
      return try await data.perform(
        Transaction(operations, returning: returning ? .bson : nil), for: call)
    } catch AccessError.writing, AccessError.creating, AccessError.writingProperty {
      throw DataSourceError.notPermitted(change, namespace)
    }
  }

  /// Returns the error of the store as clients of a data source know it.
  func told(_ error: OperationError, as change: DataSourceError.Change) async throws -> any Error {
    switch error.reason {
    case .objectExists(let name, let id):
      let isNew = try await isNew(name, id)
      return isNew ? DataSourceError.writeConflict : DataSourceError.duplicateKey(namespace)
    case .notUnique: return DataSourceError.duplicateKey(namespace)
    case .notPermitted: return DataSourceError.notPermitted(change, namespace)
    case .versionMismatch, .objectNotFound: return DataSourceError.writeConflict
    case .invalid(let error): return DataSourceError.invalidDocument(error)
    default: return error
    }
  }

  /// Runs `body` until nobody has changed the same documents meanwhile.
  func repeating<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
    // A transaction begins anew as a whole.
    if call.transaction != nil { return try await body() }
    for _ in 1..<Self.attempts {
      do { return try await body() } catch DataSourceError.writeConflict {
        if Task.isCancelled { throw StorageError.cancelled }
      }
    }
    return try await body()
  }
}

/// A document that is found for an update, and the operation that changes it.
private struct DocumentChange: Sendable {
  let before: Document
  /// Nil: it is already what it would become.
  let operation: GatehouseStorage.Operation?
}

extension StoreCollections {
  /// Returns the operation that changes a document, as long as it is as it was read.
  fileprivate func change(
    _ document: Document, by update: DocumentUpdate, of documents: DocumentClass, keeping kept: Set<Int>
  ) throws -> DocumentChange {
    let result = try update.update.apply(to: document, matching: update.filter, in: scope)
    guard result.isModified else { return DocumentChange(before: document, operation: nil) }
    try budget.charge(result.document.memory)
    if update.update.isReplacement {
      return DocumentChange(
        before: document,
        operation: try replacement(of: document, by: result.document, documents, keeping: kept))
    }
    return DocumentChange(
      before: document, operation: try self.update(of: document, to: result.document, documents))
  }

  /// Returns the operation that changes the fields of a document that another one has otherwise, as long as it is as it was read;
  /// nil: there are none.
  func update(
    of document: Document, to other: Document, _ documents: DocumentClass
  ) throws -> GatehouseStorage.Operation? {
    let id = try documents.identifier(of: document)
    let precondition = try version(of: id, documents)
    let patch = try DocumentDifference.patch(from: document, to: other, of: documents)
    return patch.changes.isEmpty
      ? nil : .update(objectType: documents.type.name, id: id, patch: patch, precondition: precondition)
  }

  /// Returns the operation that replaces a document, as long as it is as it was read; nil: it is so already.
  func replacement(
    of document: Document, by other: Document, _ documents: DocumentClass, keeping kept: Set<Int>
  ) throws -> GatehouseStorage.Operation? {
    let id = try documents.identifier(of: document)
    let draft = try documents.draft(of: other, mode: .replace(keeping: kept))
    let present = try documents.draft(of: document, mode: .replace(keeping: kept))
    if draft.given == present.given { return nil }
    return .put(
      objectType: documents.type.name, id: id, draft: draft, precondition: try version(of: id, documents))
  }

  func deletion(
    of document: Document, _ documents: DocumentClass
  ) throws -> GatehouseStorage.Operation {
    let id = try documents.identifier(of: document)
    return .delete(
      objectType: documents.type.name, id: id, precondition: try version(of: id, documents))
  }

  /// The condition that an object is of the version of which it was read here.
  private func version(
    of id: Mixed, _ documents: DocumentClass
  ) throws -> GatehouseStorage.Operation.Precondition {
    // An earlier operation of the transaction has the condition.
    if writes[documents.type.name]?[id] != nil { return .exists }
    guard let version = try reader.version(documents.type.name, id: id) else {
      throw DataSourceError.writeConflict
    }
    return .version([version])
  }
}

extension DocumentClass {
  /// Returns the document that an operation has left.
  fileprivate func document(in result: Commit.Result) throws -> Document? {
    try result.object.map { document(of: try Document(bson: $0)) }
  }
}

extension ObjectType {
  /// An identifier that no object has; null where the class has none of such a type.
  var madeIdentifier: Value {
    switch primaryKey?.type {
    case .one(.objectID, _), .one(.mixed, _): .objectID(.generate())
    case .one(.uuid, _): .uuid(.random())
    default: .null
    }
  }
}
