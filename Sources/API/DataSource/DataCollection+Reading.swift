import GatehouseBSON
import GatehouseDocuments
import GatehouseStorage

extension DataCollection {
  func find(_ query: FindQuery, in documents: DocumentClass) async throws -> [Document] {
    return try await read(isBrief: query.filter.asksForOneID) { collections in
      try collections.find(query, in: documents) { document in
        try collections.show(document, of: documents)
        return try query.projection?.apply(to: document, in: collections.scope) ?? document
      }
    }
  }

  func count(_ query: FindQuery, in documents: DocumentClass) async throws -> Int {
    try await read { collections in
      let (plan, isExact) = try collections.plan(query.filter, of: documents)
      guard isExact else {
        let found = try collections.find(query.filter, in: documents)
        return try query.count(over: found.cursor, in: collections.context)
      }
      let count = max(0, try collections.reader.count(plan) - query.skip)
      return query.limit.map { min($0, count) } ?? count
    }
  }

  func distinct(
    _ values: DistinctValues, _ filter: Filter, in documents: DocumentClass
  ) async throws -> [Value] {
    try await read { collections in
      let found = try collections.find(filter, in: documents)
      let cursor = collections.noting(found.cursor, filter, of: documents)
      return try values.values(over: cursor, in: collections.context)
    }
  }

  /// `documents` nil: the pipeline runs over nothing.
  func aggregate(_ pipeline: Pipeline, over documents: DocumentClass?) async throws -> [Document] {
    if let output = pipeline.output {
      try await write(pipeline, to: output, over: documents)
      return []
    }
    return try await read { collections in
      try collections.collect(try collections.run(pipeline, over: documents)) { $0 }
    }
  }
}

extension DataCollection {
  /// Runs the first stages of a pipeline over the documents of this store, which are a part of all.
  func part(of pipeline: Pipeline, over documents: DocumentClass, at time: Date) async throws -> PipelinePart
  {
    try await read { collections in
      var context = collections.context
      context.scope.now = time
      let input = try collections.input(of: pipeline, over: documents)
      return try pipeline.part(over: input, in: context)
    }
  }
}

extension StoreCollections {
  /// Runs a pipeline; `documents` nil: over nothing.
  func run(_ pipeline: Pipeline, over documents: DocumentClass?) throws -> any DocumentCursor {
    guard let documents else { return try pipeline.run(over: DocumentList([]), in: context) }
    return try pipeline.run(over: try input(of: pipeline, over: documents), in: context)
  }

  /// Returns the documents that a pipeline is run over: those of others that its first stage leaves out may be left out.
  fileprivate func input(of pipeline: Pipeline, over documents: DocumentClass) throws -> any DocumentCursor {
    let filter = pipeline.leadingFilter
    return noting(try find(filter, in: documents).cursor, filter, of: documents)
  }

  /// Returns what `body` makes of each document of a query, in its order.
  func find<Result>(
    _ query: FindQuery, in documents: DocumentClass, isForWriting: Bool = false,
    _ body: (Document) throws -> Result
  ) throws -> [Result] {
    if let id = FilterPlan(query.filter, for: documents.type).identifier, !hasWritten(to: documents) {
      guard query.skip == 0, let document = try document(id, of: documents, isForWriting: isForWriting) else {
        return []
      }
      try budget.charge(document.memory)
      return [try body(document)]
    }
    let most = query.limit.map { $0.addingReportingOverflow(query.skip) }
    let found = try find(
      query.filter, in: documents, sort: query.sort,
      expecting: most.flatMap { $0.overflow ? nil : $0.partialValue }, isForWriting: isForWriting)
    let rest = FindQuery(
      filter: found.isExact ? .everything : query.filter, sort: found.isSorted ? nil : query.sort,
      skip: query.skip, limit: query.limit)
    return try collect(try rest.run(over: found.cursor, in: context), body)
  }

  /// Returns what `body` makes of each document. All of it is in memory, which the budget has to have room for.
  func collect<Result>(
    _ cursor: any DocumentCursor, _ body: (Document) throws -> Result
  ) throws -> [Result] {
    var results: [Result] = []
    while let document = try cursor.next() {
      try budget.charge(document.memory)
      results.append(try body(document))
    }
    return results
  }
}
