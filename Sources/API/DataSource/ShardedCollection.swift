import GatehouseBSON
import GatehouseDocuments
import GatehouseStorage

/// A collection whose documents are divided among shards. Each shard does what need not see the documents of others; what it leaves is put together,
/// as far as it fits in memory.
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
      return .values(try await distinct(values, filter))
    case .aggregate(let pipeline):
      guard pipeline.output == nil else { throw GroupError.severalShards }
      return .documents(try await aggregate(pipeline))
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

  private func distinct(_ values: DistinctValues, _ filter: Filter) async throws -> [Value] {
    let budget = Budget(memory: StoreCollections.memory)
    var (seen, all): (Set<ValueKey>, [Value]) = ([], [])
    for (collection, documents) in try parts(filter) {
      for value in try await collection.distinct(values, filter, in: documents)
      where seen.insert(ValueKey(value)).inserted {
        try budget.charge(value.memory * 2)
        all.append(value)
      }
    }
    return all
  }

  private func aggregate(_ pipeline: Pipeline) async throws -> [Document] {
    let time = Date.now
    let budget = Budget(memory: StoreCollections.memory)
    var parts: [PipelinePart] = []
    for (collection, documents) in try self.parts(pipeline.leadingFilter ?? .everything) {
      let part = try await collection.part(of: pipeline, over: documents, at: time)
      // Throws where it is too much.
      try budget.charge(part.memory)
      parts.append(part)
    }
    return try await onThread(at: time) { [parts] context in
      try ShardedCollection.list(try pipeline.run(over: parts, in: context), in: context)
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
    return try await onThread(at: .now) { [all] context in try body(DocumentList(all), context) }
  }

  private func onThread<Answer: Sendable>(
    at time: Date, _ body: @escaping @Sendable (PipelineContext) throws -> Answer
  ) async throws -> Answer {
    let (call, events) = shards[0]
    return try await events.data.store.read(for: call.caller) { reader in
      let scope = Scope(now: time, budget: Budget(memory: StoreCollections.memory) { reader.mustStop })
      return try body(PipelineContext(scope: scope, collections: NoOtherCollections()))
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
