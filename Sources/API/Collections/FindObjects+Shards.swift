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
    var parts: [ShardMerge.Part] = []
    for (call, data) in shards {
      let plan = try await data.plan(query.request, of: objectType.name, for: call)
      guard plan.clauses.allSatisfy(\.isSort) else { throw GroupError.severalShards }
      parts.append(
        ShardMerge.Part(call: call, data: data, plan: try call.permit?.restricted(plan) ?? plan))
    }
    if let text = query.aggregate { return try await aggregates(text, of: parts) }
    var total: Int?
    if call.preferences.countsExactly {
      var count = 0
      for part in parts { count += try await part.read(onThread: query.request.isLarge) { try $0.count($1) } }
      total = count
    }
    var response = try await page(of: parts)
    if let total {
      response.fields.append("total-count", String(total))
      response.fields.append("preference-applied", "count=exact")
    }
    return response
  }

  private func page(of parts: [ShardMerge.Part]) async throws -> Response {
    let order = try parts[0].data.reader.order(of: parts[0].plan)
    let place = cursor.map { ShardMerge.Place(cursor: $0, shard: cursorShard ?? 0) }
    let merge = ShardMerge(
      parts, in: order, after: place, as: mediaType.representation,
      room: mediaType.isStreamed ? FindObjects.pieceSize : call.limits.pageBytes)
    let size = min(query.limit ?? .max, call.limits.largestPageSize)
    let (bytes, count, hasMore) = try await piece(of: merge, size, isFirst: true)
    let rest = query.limit.map { $0 - count }
    guard mediaType.isStreamed, rest != 0, hasMore else {
      return response(bytes, next: hasMore ? merge.last?.cursor : nil, in: merge.last?.shard)
    }
    var response = Response(status: .ok, content: bytes, mediaType)
    response.body = stream(merge, after: bytes, rest: rest)
    return response
  }

  private func piece(
    of merge: ShardMerge, _ size: Int, isFirst: Bool
  ) async throws -> (bytes: [UInt8], count: Int, hasMore: Bool) {
    let isArray = mediaType.framing == .array
    var bytes: [UInt8] = isArray ? [UInt8(ascii: "[")] : []
    let page = try await merge.page(of: size) { object in
      if isArray, bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
      bytes += object
      if !isArray, mediaType.representation != .bson { bytes.append(UInt8(ascii: "\n")) }
    }
    if isArray { bytes.append(UInt8(ascii: "]")) }
    return (try encoded(bytes, of: merge.plan, isFirst: isFirst), page.count, page.hasMore)
  }

  private func stream(_ merge: ShardMerge, after first: [UInt8], rest: Int?) -> ResponseBody {
    let call = call
    return .stream { writer in
      try await writer.write(first)
      var rest = rest
      while rest != 0 {
        try merge.data.sessions.requireValidity(of: call.principal)
        let size = min(rest ?? .max, call.limits.largestPageSize)
        let (bytes, count, hasMore) = try await self.piece(of: merge, size, isFirst: false)
        if !bytes.isEmpty { try await writer.write(bytes) }
        if !hasMore { return }
        rest = rest.map { $0 - count }
      }
    }
  }

  private func aggregates(_ text: String, of parts: [ShardMerge.Part]) async throws -> Response {
    let aggregates = try Aggregate.list(text, objectType: objectType.name, schema: call.schema)
    var sums = aggregates.map(\.ofNothing)
    for part in parts {
      try await recordAggregated(part.plan, for: part.call, part.data)
      let found = try await part.read(onThread: query.request.isLarge) { try $0.accumulated($1, aggregates) }
      for index in sums.indices { sums[index].add(found[index]) }
    }
    return try response(aggregates, sums.map(\.value), from: parts[0].data.reader)
  }
}

extension ShardMerge.Part {
  fileprivate func read<Answer: Sendable>(
    onThread: Bool, _ body: @escaping @Sendable (Reader, Plan) throws -> Answer
  ) async throws -> Answer {
    try await data.read(for: call, as: .query, onThread: onThread) { [plan] in try body($0, plan) }
  }
}

extension Plan.Clause {
  fileprivate var isSort: Bool { if case .sort = self { true } else { false } }
}
