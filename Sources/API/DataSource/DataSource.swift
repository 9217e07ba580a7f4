import GatehouseAccess
import GatehouseAudit
import GatehouseBSON
import GatehouseDocuments
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage

/// Performs commands of MongoDB's language on the classes of the store, for every protocol that has them.
struct DataSource: Sendable {
  let events: EventAccess

  func perform(
    _ command: DataCommand, in namespace: Namespace, for call: Call
  ) async throws -> DataResult {
    do {
      try Preconditions(call.request.fields).refuse()
      // A command that was performed may be followed by others that depend on it: a repetition is for the client to notice.
      guard call.idempotencyKey == nil else { throw APIError.invalidPrecondition("Idempotency-Key") }
      let shards = try await events.callsInShards(call)
      if !shards.isEmpty {
        return try await ShardedCollection(shards: shards, namespace: namespace).perform(command)
      }
      let documents = try StoreCollections.documents(in: namespace, for: call)
      let collection = DataCollection(events: events, call: call, namespace: namespace)
      guard let documents else { return try await collection.performWithoutClass(command) }
      if call.scope.isTrial { return try await collection.rehearse(command, on: documents) }
      return try await collection.perform(command, on: documents)
    } catch AccessError.reading, AccessError.asymmetric {
      throw DataSourceError.noRule(namespace)
    } catch let error as DocumentsError {
      throw DataSourceError.language(error)
    }
  }
}

extension DataAccess {
  /// Throws ``DataSourceError/unknownService(_:)`` where no data source has that name.
  func requireSource(_ name: String) throws(DataSourceError) {
    guard sources.contains(name) else { throw .unknownService(name) }
  }
}

/// A collection that one call is about.
struct DataCollection: Sendable {
  let events: EventAccess
  let call: Call
  let namespace: Namespace

  var data: DataAccess { events.data }

  func perform(_ command: DataCommand, on documents: DocumentClass) async throws -> DataResult {
    switch documents.type.isSchemaless ? command.inMemberOrder : command {
    case .find(let query): return .documents(try await find(query, in: documents))
    case .findOne(let query): return .document(try await find(query, in: documents).first)
    case .count(let query): return .count(try await count(query, in: documents))
    case .distinct(let values, let filter):
      return .values(try await distinct(values, filter, in: documents))
    case .aggregate(let pipeline): return .documents(try await aggregate(pipeline, over: documents))
    case .insert(let inserted, let isMany):
      let insertion = DocumentInsertion(in: self, of: documents)
      return .inserted(try await insertion.insert(inserted, isMany: isMany), isMany: isMany)
    case .update(let update):
      let outcome = try await change(update, in: documents)
      return .updated(matched: outcome.matched, modified: outcome.modified, upserted: outcome.upserted)
    case .delete(let filter, let isMany):
      return .deleted(try await delete(filter, isMany: isMany, in: documents))
    case .findAndUpdate(let query, let update, let returnsNew):
      return .document(try await findAndUpdate(query, update, returnsNew: returnsNew, in: documents))
    case .findAndDelete(let query): return .document(try await findAndDelete(query, in: documents))
    }
  }

  /// Says how a command would be answered that is to be performed in one of several stores: a change of the first document of an order with that
  /// document, as the caller sees it.
  fileprivate func rehearse(_ command: DataCommand, on documents: DocumentClass) async throws -> DataResult {
    switch command {
    case .insert: return try await perform(command, on: documents)
    case .findAndUpdate(let query, _, _), .findAndDelete(let query):
      let found = try await read(records: false) { collections in
        try collections.find(query, in: documents, isForWriting: true) { $0 }
      }
      return .document(found.first)
    case .find, .findOne, .count, .distinct, .aggregate, .update, .delete: throw GroupError.severalShards
    }
  }

  /// Performs a command on a collection that no class stands for: there is nothing in it, and in development alone the first
  /// document makes the class.
  func performWithoutClass(_ command: DataCommand) async throws -> DataResult {
    switch command {
    case .find: return .documents([])
    case .findOne, .findAndDelete: return .document(nil)
    case .count: return .count(0)
    case .distinct: return .values([])
    case .delete: return .deleted(0)
    case .aggregate(let pipeline): return .documents(try await aggregate(pipeline, over: nil))
    case .update(let update) where !update.isUpsert:
      return .updated(matched: 0, modified: 0, upserted: nil)
    case .findAndUpdate(_, let update, _) where !update.isUpsert: return .document(nil)
    case .insert(let inserted, _):
      // Without the first one, none of the others is inserted.
      return try await makeClass { _ in Array(inserted.prefix(1)) }.perform(command)
    case .update(let update), .findAndUpdate(_, let update, _):
      return try await makeClass { documents in
        let inserted = try await read(records: false) { collections in
          try update.update.inserted(
            for: update.filter, in: collections.scope, makeID: { documents.type.madeIdentifier })
        }
        return [inserted]
      }.perform(command)
    }
  }

  /// Makes a schemaless class for the first documents of a collection, where that may be. Documents that would be refused make none.
  func makeClass(
    for first: (DocumentClass) async throws -> [Document]
  ) async throws -> DataCollection {
    guard data.infersClasses, call.permit == nil else { throw DataSourceError.noRule(namespace) }
    guard Schema.isLegal(className: namespace.collection) else {
      throw DataSourceError.illegalCollection(namespace)
    }
    try InferredClass.requireRoom(in: call.schema)
    let type = ObjectType.schemaless(namespace.collection)
    let schema = try Schema(validating: call.schema.objectTypes + [type])
    let documents = try DocumentClass(type, in: schema)
    for document in try await first(documents) { _ = try documents.draft(of: document, mode: .create) }
    do {
      _ = try await data.store.apply(
        schema, destructive: false, renames: [], generation: call.generation, hook: nil)
    } catch StorageError.schemaChanged {
      // Somebody else has just made it, or another one.
    }
    return DataCollection(
      events: events, call: Call(call, in: data.store.schemaState), namespace: namespace)
  }

  /// Performs a command on the class that has just been made.
  private func perform(_ command: DataCommand) async throws -> DataResult {
    guard let documents = try StoreCollections.documents(in: namespace, for: call) else {
      throw StorageError.schemaChanged
    }
    return try await perform(command, on: documents)
  }

  /// Reads documents from one state of the store, and records those that are shown.
  ///
  /// - Parameter isBrief: whether it may be done on the event loop.
  func read<Answer: Sendable>(
    isBrief: Bool = false, records: Bool = true,
    _ body: @escaping @Sendable (StoreCollections) throws -> Answer
  ) async throws -> Answer {
    let recording = records && call.recording?.recordsReads == true ? call.recording : nil
    let (answer, observation) = try await data.read(for: call, onThread: !isBrief || call.transaction != nil)
    {
      [call, recordsReads = recording != nil] reader in
      // Plans are made of the schema as the call has it.
      guard reader.schemaState.generation == call.generation else { throw StorageError.schemaChanged }
      let read = { (reader: Reader) in
        let collections = StoreCollections(reader, for: call, recordsReads: recordsReads)
        let answer = try collections.running(body)
        return (answer, try collections.observation())
      }
      guard let transaction = call.transaction else { return try reader.reading(read) }
      return try transaction.read(as: reader) { reader in
        // The properties are others than those of earlier reads.
        guard reader.schemaState.generation == call.generation else { throw DataSourceError.writeConflict }
        return try read(reader)
      }
    }
    if let recording, let observation { try await recording.record([observation], as: .query) }
    return answer
  }
}
