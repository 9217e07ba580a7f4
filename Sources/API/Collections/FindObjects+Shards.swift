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
    // One plan, one order of sections and one DISTINCT or LIMIT would need what all have at once.
    if query.explains || query.sectionBy != nil { throw GroupError.severalShards }
    var parts: [ShardPart] = []
    for (call, data) in shards {
      let plan = try await data.plan(query.request, of: objectType.name, for: call)
      guard plan.clauses.allSatisfy(\.isSort) else { throw GroupError.severalShards }
      parts.append(
        ShardPart(call: call, data: data, plan: try call.permit?.restricted(plan) ?? plan))
    }
    if let text = query.aggregate { return try await aggregates(text, of: parts) }
    var total: Int?
    if call.preferences.countsExactly {
      total = try await parts.read { part in
        try await part.read(onThread: self.query.request.isLarge) { try $0.count($1) }
      }.reduce(0, +)
    }
    var response = try await page(of: parts)
    if let total {
      response.fields.append("total-count", String(total))
      response.fields.append("preference-applied", "count=exact")
    }
    return response
  }

  private func page(of parts: [ShardPart]) async throws -> Response {
    let order = try parts[0].data.reader.order(of: parts[0].plan)
    let place = cursor.map { ShardMerge.Place(cursor: $0, shard: cursorShard ?? 0) }
    let merge = ShardMerge(
      parts, in: order, after: place, as: mediaType.representation,
      room: mediaType.isStreamed ? FindObjects.pieceSize : call.limits.pageBytes)
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
    let aggregates = try Aggregate.list(text, objectType: objectType.name, schema: call.schema)
    var sums = aggregates.map(\.ofNothing)
    let results = try await parts.read { part in
      try await self.recordAggregated(part.plan, for: part.call, part.data)
      return try await part.read(onThread: self.query.request.isLarge) { try $0.accumulated($1, aggregates) }
    }
    for found in results {
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
