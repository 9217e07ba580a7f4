import GatehouseBSON
import GatehouseDocuments
import GatehouseStorage

/// A collection whose documents are divided among shards. What reads it takes the documents of all that may be meant, as many as fit in memory, and goes
/// on with these together.
struct ShardedCollection: Sendable {
  let shards: [(call: Call, events: EventAccess)]
  let namespace: Namespace

  /// Throws ``GroupError/severalShards`` where the command writes, or searches texts: one shard knows nothing of the words in others.
  func perform(_ command: DataCommand) async throws -> DataResult {
    switch command {
    case .find(let query): return .documents(try await find(query))
    case .findOne(let query): return .document(try await find(query).first)
    case .count(let query):
      var count = 0
      for (collection, documents) in try parts(query.filter) {
        count += try await collection.count(FindQuery(filter: query.filter), in: documents)
      }
      count = max(0, count - query.skip)
      return .count(query.limit.map { min($0, count) } ?? count)
    case .distinct(let values, let filter):
      return .values(
        try await reading(FindQuery(filter: filter)) { try values.values(over: $0, in: $1) })
    case .aggregate(let pipeline):
      guard pipeline.output == nil else { throw GroupError.severalShards }
      let found = FindQuery(filter: pipeline.leadingFilter ?? .everything)
      return .documents(
        try await reading(found) { try ShardedCollection.list(try pipeline.run(over: $0, in: $1), in: $1) })
    case .insert, .update, .delete, .findAndUpdate, .findAndDelete: throw GroupError.severalShards
    }
  }

  private func find(_ query: FindQuery) async throws -> [Document] {
    let most = query.limit.map { $0.addingReportingOverflow(query.skip) }
    // Each has all that may be among those of the answer, with the members by which they are put in order.
    let found = FindQuery(
      filter: query.filter, sort: query.sort, limit: most.flatMap { $0.overflow ? nil : $0.partialValue })
    return try await reading(found) { documents, context in
      let rest = FindQuery(filter: query.filter, sort: query.sort, skip: query.skip, limit: query.limit)
      let cursor = try rest.run(over: documents, in: context)
      return try ShardedCollection.list(cursor, in: context) {
        try query.projection?.apply(to: $0, in: context.scope) ?? $0
      }
    }
  }

  /// Runs `body` on a thread, over what the query finds in each shard.
  private func reading<Answer: Sendable>(
    _ query: FindQuery, _ body: @escaping @Sendable (any DocumentCursor, PipelineContext) throws -> Answer
  ) async throws -> Answer {
    var all: [Document] = []
    var memory = 0
    for (collection, documents) in try parts(query.filter) {
      let found = try await collection.find(query, in: documents)
      memory += found.reduce(0) { $0 + $1.memory }
      // Throws where it is too much.
      try Budget(memory: StoreCollections.memory).charge(memory)
      all += found
    }
    let (call, events) = shards[0]
    return try await events.data.store.read(for: call.caller) { [all] reader in
      let scope = Scope(now: .now, budget: Budget(memory: StoreCollections.memory) { reader.mustStop })
      return try body(DocumentList(all), PipelineContext(scope: scope, collections: NoOtherCollections()))
    }
  }

  /// Returns the collection in each shard.
  private func parts(_ filter: Filter) throws -> [(DataCollection, DocumentClass)] {
    if filter.searchesText { throw GroupError.severalShards }
    return try shards.compactMap { call, events in
      try StoreCollections.documents(in: namespace, for: call).map {
        (DataCollection(events: events, call: call, namespace: namespace), $0)
      }
    }
  }

  private static func list(
    _ cursor: any DocumentCursor, in context: PipelineContext,
    _ body: (Document) throws -> Document = { $0 }
  ) throws -> [Document] {
    var documents: [Document] = []
    while let document = try cursor.next() {
      try context.budget.charge(document.memory)
      documents.append(try body(document))
    }
    return documents
  }
}

/// Collections of which none can be read: those of a group with shards are in several stores.
private struct NoOtherCollections: DocumentCollections {
  func documents(
    of collection: String, in database: String?, filter: Filter?
  ) throws(DocumentsError) -> any DocumentCursor {
    throw DocumentsError(
      .commandNotSupported, "A pipeline over a collection that is divided among shards reads no other one.")
  }
}
