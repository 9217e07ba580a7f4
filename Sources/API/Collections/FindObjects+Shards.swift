import GatehouseAccess
import GatehouseAudit
import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseQuery
import GatehouseStorage

// A query of a class whose objects are divided among shards: each is asked, and what they have is put together.
extension FindObjects {
  func mergedAnswer(of shards: [(call: Call, data: DataAccess)]) async throws -> Response {
    guard cursor == nil || cursorShard.map(shards.indices.contains) == true else {
      throw APIError.invalidCursor
    }
    var parts: [ShardPart] = []
    for (call, data) in shards {
      let plan = try await data.plan(query.request, of: objectType.name, for: call)
      parts.append(
        ShardPart(call: call, data: data, plan: try call.permit?.restricted(plan) ?? plan))
    }
    if query.explains { return try await explanation(of: parts) }
    var response =
      if let text = query.aggregate {
        try await aggregates(text, of: parts)
      } else {
        try await objects(of: parts)
      }
    let versions = shards.compactMap(\.call.past?.version)
    if !versions.isEmpty { response.fields.append("realm-version", ShardVersions.text(of: versions)) }
    return response
  }

  private func objects(of parts: [ShardPart]) async throws -> Response {
    let (merged, selection) = try self.selection(of: parts)
    let order = try merged[0].data.reader.partial.order(of: merged[0].plan)
    if let cursor, cursor.values.count != order.count { throw APIError.invalidCursor }
    let total = call.preferences.countsExactly ? try await count(of: merged, selection) : nil
    var response =
      if let text = query.sectionBy {
        try await sections(
          by: try SectionKey(text, objectType: objectType.name, schema: call.schema), of: merged, selection,
          in: order)
      } else {
        try await page(of: merged, selection, in: order)
      }
    if let total {
      response.fields.append("total-count", String(total))
      response.fields.append("preference-applied", "count=exact")
    }
    return response
  }

  /// Returns the parts as the merge reads them, and what is left for it to select. Throws ``GroupError/severalShards`` where the filter sorts
  /// what it has selected.
  private func selection(of parts: [ShardPart]) throws -> ([ShardPart], ShardMerge.Selection) {
    var selection = ShardMerge.Selection()
    var paths: [KeyPath] = []
    for clause in parts[0].plan.clauses {
      switch clause {
      case .sort: if selection.limit != nil || !paths.isEmpty { throw GroupError.severalShards }
      case .distinct(let distinct):
        if selection.limit != nil || !paths.isEmpty { throw GroupError.severalShards }
        paths = distinct
      case .limit(let count): selection.limit = min(count, selection.limit ?? .max)
      }
    }
    guard !paths.isEmpty else { return (parts, selection) }
    // The values are a part of the place of an object if they are those that it is sorted by last.
    let last = Plan.Clause.sort(paths.map { SortKey(path: $0, ascending: true) })
    var merged = parts
    for index in merged.indices { merged[index].plan.clauses.insert(last, at: 0) }
    var byValues = parts[0].plan
    byValues.clauses = [last]
    selection.distinctValues = try parts[0].data.reader.partial.order(of: byValues).count
    return (merged, selection)
  }

  private func count(of parts: [ShardPart], _ selection: ShardMerge.Selection) async throws -> Int {
    guard selection.distinctValues > 0 else {
      let counts = try await parts.read { part in
        try await part.read(onThread: self.query.request.isLarge) { try $0.count($1) }
      }
      return min(counts.reduce(0, +), selection.limit ?? .max)
    }
    let keys = parts.map { part in
      var part = part
      if let key = objectType.primaryKeyIndex {
        part.plan.projection = Projection(
          objectType: objectType.name, fields: [Projection.Field(property: key, target: nil)])
      }
      part.isRecorded = false
      return part
    }
    let merge = ShardMerge(
      keys, in: try parts[0].data.reader.partial.order(of: parts[0].plan), after: nil, as: .objects(.json),
      room: FindObjects.pieceSize, selecting: selection)
    var count = 0
    try await merge.readAll { _, _, _ in count += 1 }
    return count
  }

  /// Answers with the plan of the first shard, and what is different in each.
  private func explanation(of parts: [ShardPart]) async throws -> Response {
    let plans = try await parts.read { part in
      let asked = try await part.data.plan(self.query.request, of: self.objectType.name, for: part.call)
      let explanation = try await part.data.read(for: part.call, as: .query, onThread: true) { reader in
        try self.explanation(of: asked, as: part.plan, for: part.call, from: reader)
      }
      return (explanation, asked.hints)
    }
    return Response(explaining: plans.map(\.0), hints: plans[0].1, mediaType)
  }

  /// The place behind which the page begins; nil: it is the first.
  var beginning: ShardMerge.Place? { cursor.map { ShardMerge.Place(cursor: $0, shard: cursorShard ?? 0) } }

  private func page(
    of parts: [ShardPart], _ selection: ShardMerge.Selection, in order: ResultOrder
  ) async throws -> Response {
    let merge = ShardMerge(
      parts, in: order, after: beginning, as: .objects(mediaType.representation),
      room: mediaType.isStreamed ? FindObjects.pieceSize : call.limits.pageBytes, selecting: selection)
    let size = min(query.limit ?? .max, call.limits.largestPageSize)
    // Where it goes on, the merge knows.
    let first = try await piece(of: merge, size, isFirst: true)
    return pagedResponse(first, parts[0].data.sessions) { size, _ in
      try await self.piece(of: merge, size, isFirst: false)
    }
  }

  private func piece(of merge: ShardMerge, _ size: Int, isFirst: Bool) async throws -> Piece {
    let isArray = mediaType.framing == .array
    var bytes: [UInt8] = isArray ? [UInt8(ascii: "[")] : []
    let page = try await merge.page(of: size) { object in
      if isArray, bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
      bytes += object
      if !isArray, mediaType.representation != .bson { bytes.append(UInt8(ascii: "\n")) }
    }
    if isArray { bytes.append(UInt8(ascii: "]")) }
    return Piece(
      bytes: try encoded(bytes, of: merge.plan, isFirst: isFirst), count: page.count,
      next: page.hasMore ? merge.last?.cursor : nil, shard: merge.last?.shard)
  }

  private func aggregates(_ text: String, of parts: [ShardPart]) async throws -> Response {
    // Numbers of those that one DISTINCT or LIMIT leaves would need what all have at once.
    guard parts[0].plan.clauses.allSatisfy(\.isSort) else { throw GroupError.severalShards }
    let aggregates = try Aggregate.list(text, objectType: objectType.name, schema: call.schema)
    var sums = aggregates.map(\.ofNothing)
    let results = try await parts.read { part in
      try await self.recordAggregated(part.plan, for: part.call, part.data)
      return try await part.read(onThread: self.query.request.isLarge) {
        try $0.partial.accumulated($1, aggregates)
      }
    }
    for found in results {
      precondition(found.count == sums.count, "each store has what is asked of all")
      for index in sums.indices { sums[index].add(found[index]) }
    }
    return try response(aggregates, sums.map(\.value), from: parts[0].data.reader)
  }
}

extension ShardPart {
  fileprivate func read<Answer: Sendable>(
    onThread: Bool, _ body: @escaping @Sendable (Reader, Plan) throws -> Answer
  ) async throws -> Answer {
    try await data.read(for: call, as: .query, onThread: onThread) { [plan] in try body($0, plan) }
  }
}

extension Plan.Clause {
  fileprivate var isSort: Bool { if case .sort = self { true } else { false } }
}
