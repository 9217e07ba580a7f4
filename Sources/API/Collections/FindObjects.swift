import GatehouseAccess
import GatehouseAudit
import GatehouseBSON
import GatehouseCrypto
import GatehouseHTTP
import GatehouseModel
import GatehouseQuery
import GatehouseStorage

extension Endpoint {
  /// As an event stream: the class, or the results of the query, watched.
  static let findObjects = Endpoint(
    "findObjects",
    .get(
      "/v1/collections/{class}", parameters: Parameters.Name.ofQueries + Parameters.Name.ofStreams + [.at]),
    answers: MediaType.forCollections, requires: .permit, records: .reads, using: \.events
  ) { call, events in
    if call.mediaType == .eventStream {
      return try await Subscribe(toClassOf: call).answer(call, events)
    }
    return try await FindObjects(call, events.data).answer(events.data)
  }

  static let queryObjects = Endpoint(
    "queryObjects",
    .query("/v1/collections/{class}", parameters: [.cursor, .at], reads: ContentType.ofValues),
    answers: MediaType.forQueries, requires: .permit, records: .reads, using: \.data
  ) { call, data in try await FindObjects(querying: call, data).answer(data) }

  static let runQuery = Endpoint(
    "runQuery",
    .post("/v1/query", parameters: [.cursor], reads: ContentType.ofValues).answered(by: .replica),
    answers: MediaType.forQueries, requires: .permit, records: .reads, using: \.data
  ) { call, data in try await FindObjects(posted: call, data).answer(data) }
}

/// A query of a collection: the objects that match, page by page, or what can be said of all of them.
final class FindObjects: Sendable {
  /// The bytes of a stream that are made at once, but for the last object's.
  static let pieceSize = 1 << 20
  let call: Call
  let objectType: ObjectType
  let query: QueryParameters
  let cursor: Cursor?
  /// The number of the shard that has the object at the cursor; nil: the class has none.
  let cursorShard: Int?
  private let cursors: CursorToken

  /// Reads the query in the URL of a GET.
  convenience init(_ call: Call, _ data: DataAccess) throws {
    let objectType = try call.collectionType()
    let query = try QueryParameters(call.parameters, PageLimit(call.mediaType, call.limits))
    try self.init(call, of: objectType, query, seal: data.seal(for: call))
  }

  /// Reads the query in the content of a QUERY (RFC 10008).
  convenience init(querying call: Call, _ data: DataAccess) async throws {
    let objectType = try call.collectionType()
    let content = try QueryContent(try await call.content(), hasClass: false)
    let query = try QueryParameters(content, of: call)
    try self.init(call, of: objectType, query, seal: data.seal(for: call))
  }

  /// Reads the query in the content of a POST, which names the class as well.
  convenience init(posted call: Call, _ data: DataAccess) async throws {
    let content = try QueryContent(try await call.content(), hasClass: true)
    let objectType = try call.collectionType(named: content.objectType ?? "")
    try self.init(call, of: objectType, try QueryParameters(content, of: call), seal: data.seal(for: call))
  }

  /// Finds linking objects: those of a class whose property links to one object, which
  /// ``answer(linkingTo:by:_:)`` names.
  convenience init(_ call: Call, _ data: DataAccess, linkingFrom source: String) throws {
    guard let objectType = call.schema[source] else {
      throw APIError.unknownClass(name: source, nearest: nil)
    }
    let query = try QueryParameters(call.parameters, PageLimit(call.mediaType, call.limits))
    try self.init(call, of: objectType, query, seal: data.seal(for: call))
  }

  private init(
    _ call: Call, of objectType: ObjectType, _ query: QueryParameters, seal: MessageSeal?
  ) throws {
    self.call = call
    self.objectType = objectType
    self.query = query
    // A table has objects only.
    if call.mediaType == .csv, query.explains || query.aggregate != nil || query.sectionBy != nil {
      throw APIError.notAcceptable(offers: call.endpoint.answers.filter { $0 != .csv })
    }
    cursors = CursorToken(objectType: objectType.name, query, seal: seal)
    let place = try query.cursor.map(cursors.place)
    (cursor, cursorShard) = (place?.cursor, place?.shard)
    // How many there must be, the store knows where there are no sections.
    let isPlace =
      query.sectionBy == nil || cursorShard != nil
      ? cursor?.values.allSatisfy(\.isStored) : cursor.map { $0.values.count == 1 }
    if isPlace == false { throw APIError.invalidCursor }
  }

  var mediaType: MediaType { call.mediaType }

  func answer(_ data: DataAccess) async throws -> Response {
    let shards = try await data.callsInShards(call).map { ($0.call, $0.context.data) }
    if !shards.isEmpty { return try await mergedAnswer(of: shards) }
    if cursorShard != nil { throw APIError.invalidCursor }
    return try await answer(data.plan(query.request, of: objectType.name, for: call), data)
  }

  /// Answers with those objects whose property links to the one that a path leads from.
  func answer(
    linkingTo path: PathReadRequest, by property: String, _ data: DataAccess
  ) async throws -> Response {
    let (target, id) = try await data.read(for: call, as: .query) { try $0.owner(path).owner }
    var plan = try await data.plan(query.request, of: objectType.name, for: call)
    guard let linking = Predicate.linking(from: objectType, by: property, to: target, id: id) else {
      throw StorageError.schemaChanged
    }
    plan.predicate = .all([linking, plan.predicate])
    return try await answer(plan, data)
  }

  private func answer(_ plan: Plan, _ data: DataAccess) async throws -> Response {
    let asked = plan
    let plan = try call.permit?.restricted(plan) ?? plan
    if query.explains {
      return try await read(for: data) { reader in
        let explanation = try self.explanation(of: asked, as: plan, for: self.call, from: reader)
        return Response(explaining: [explanation], hints: asked.hints, self.mediaType)
      }
    }
    try await recordAggregated(plan, for: call, data)
    let slowQueries = data.policies.current.slowQueries
    return try await read(for: data) { reader in
      let answer = { try self.response(from: reader, for: data, plan: plan) }
      return try slowQueries?.timing(plan, of: self.call, from: reader, answer) ?? answer()
    }
  }

  /// Reads on the loop what is brief; a large query's statement is also prepared on a thread of the store's.
  private func read<Answer: Sendable>(
    for data: DataAccess, _ body: @escaping @Sendable (Reader) throws -> Answer
  ) async throws -> Answer {
    try await data.read(for: call, as: .query, onThread: query.request.isLarge, body)
  }

  private func response(
    from reader: Reader, for data: DataAccess, plan: Plan
  ) throws -> Response {
    var plan = plan
    plan.cursor = cursor
    plan.pageSize = min(query.limit ?? .max, call.limits.largestPageSize)
    if let text = query.aggregate { return try aggregates(text, of: plan, from: reader) }
    let total = call.preferences.countsExactly ? try reader.count(plan) : nil
    var response =
      try sections(of: plan, from: reader) ?? page(of: plan, from: reader, for: data)
    if let total {
      response.fields.append("total-count", String(total))
      response.fields.append("preference-applied", "count=exact")
    }
    return response
  }

  /// Rules are nothing that the client has sent: nobody who may not see everything is told of them.
  func explanation(
    of asked: Plan, as seen: Plan, for call: Call, from reader: Reader
  ) throws -> Explanation {
    var (plan, seen) = (asked, seen)
    let pageSize = min(query.limit ?? .max, call.limits.largestPageSize)
    (plan.cursor, plan.pageSize, seen.pageSize) = (cursor, pageSize, pageSize)
    let seesEverything = call.permit?.seesEverything(around: objectType.name) ?? true
    return seesEverything
      ? try reader.explain(plan) : try reader.explain(plan, as: seen, knowing: call.schema)
  }

  /// Records the objects that aggregates are computed from, where these tell more than how many there are. They may
  /// be all of a class, and so come page by page.
  func recordAggregated(_ plan: Plan, for call: Call, _ data: DataAccess) async throws {
    guard let recording = call.recording, recording.recordsReads, let text = query.aggregate
    else { return }
    let aggregates = try Aggregate.list(text, objectType: objectType.name, schema: call.schema)
    guard aggregates.contains(where: { $0.kind != .count }) else { return }
    var plan = plan
    plan.pageSize = call.limits.largestPageSize
    repeat {
      plan.cursor = try await data.read(for: call, as: .query) { [plan] reader in
        var bytes: [UInt8] = []
        return try reader.page(
          plan, as: .json, framing: .sequence, atMost: Self.pieceSize, into: &bytes
        ).next
      }
    } while plan.cursor != nil
  }

  private func aggregates(_ text: String, of plan: Plan, from reader: Reader) throws -> Response {
    let aggregates = try Aggregate.list(text, objectType: objectType.name, schema: call.schema)
    return try response(aggregates, try reader.aggregate(plan, aggregates), from: reader)
  }

  func response(_ aggregates: [Aggregate], _ values: [Mixed], from reader: Reader) throws -> Response {
    var bytes: [UInt8] = []
    try reader.write(values, of: aggregates, as: mediaType.representation, into: &bytes)
    if mediaType == .jsonLines { bytes.append(UInt8(ascii: "\n")) }
    return Response(status: .ok, content: bytes, mediaType)
  }

  /// Nil where no sections were asked for. Sections are never streamed: to begin the first of them, all objects
  /// have to be looked at.
  private func sections(of plan: Plan, from reader: Reader) throws -> Response? {
    guard let text = query.sectionBy else { return nil }
    let key = try SectionKey(text, objectType: objectType.name, schema: call.schema)
    var bytes: [UInt8] = []
    let page = try reader.sections(
      plan, by: key, as: mediaType.representation, framing: mediaType.framing, into: &bytes)
    return response(bytes, next: page.next)
  }

  private func page(
    of plan: Plan, from reader: Reader, for data: DataAccess
  ) throws -> Response {
    var bytes: [UInt8] = []
    let page = try reader.page(
      plan, as: mediaType.representation, framing: mediaType.framing,
      atMost: mediaType.isStreamed ? Self.pieceSize : call.limits.pageBytes, into: &bytes)
    let first = Piece(
      bytes: try encoded(bytes, of: plan, isFirst: true), count: page.count, next: page.next)
    return pagedResponse(first, data.sessions) { size, place in
      var plan = plan
      (plan.cursor, plan.pageSize) = (place, size)
      let (page, bytes) = try await self.read(for: data) { [plan, mediaType = self.mediaType] reader in
        var bytes: [UInt8] = []
        let page = try reader.page(
          plan, as: mediaType.representation, framing: mediaType.framing, atMost: Self.pieceSize, into: &bytes
        )
        return (page, bytes)
      }
      return Piece(
        bytes: try self.encoded(bytes, of: plan, isFirst: false), count: page.count, next: page.next)
    }
  }

  /// Some of the objects, as the answer has them.
  struct Piece {
    let bytes: [UInt8]
    let count: Int
    /// Where the objects go on; nil: these are the last.
    let next: Cursor?
    /// The number of the shard that has the object at ``next``; nil: the class has none.
    var shard: Int?
  }

  /// Answers with a page, or where objects are streamed with all of them.
  ///
  /// - Parameter piece: Reads up to so many objects behind a place.
  func pagedResponse(
    _ first: Piece, _ sessions: SessionValidator,
    piece: @escaping @Sendable (_ size: Int, _ place: Cursor) async throws -> Piece
  ) -> Response {
    let rest = query.limit.map { $0 - first.count }
    precondition(rest ?? 0 >= 0, "a page has no more objects than are wanted")
    guard mediaType.isStreamed, rest != 0, let next = first.next else {
      return response(first.bytes, next: first.next, in: first.shard)
    }
    var response = Response(status: .ok, content: first.bytes, mediaType)
    response.body = stream(behind: next, after: first.bytes, rest: rest, sessions, piece)
    return response
  }

  /// Returns the objects of a page as the answer has them: of lines a table is made, which begins with its header.
  func encoded(_ bytes: [UInt8], of plan: Plan, isFirst: Bool) throws -> [UInt8] {
    guard mediaType == .csv else { return bytes }
    var table = TableWriter(plan.projection, in: call.schema)
    var rows: [UInt8] = []
    if isFirst { table.appendHeader(to: &rows) }
    try table.append(lines: bytes, to: &rows)
    return rows
  }

  func response(_ bytes: [UInt8], next: Cursor?, in shard: Int? = nil) -> Response {
    var response = Response(status: .ok, content: bytes, mediaType)
    guard let next else { return response }
    // The same request with another cursor; of a query in its content, by the same method with the same content.
    let link = call.parameters.linkToNextPage(
      at: call.request.target.path, .cursor, cursors.text(of: next, shard: shard))
    response.fields.append("link", link)
    return response
  }

  /// Reads page after page, as fast as the client takes them. A failure ends the connection before the end of
  /// the content, so that nobody takes a part for the whole.
  private func stream(
    behind place: Cursor, after first: [UInt8], rest: Int?, _ sessions: SessionValidator,
    _ piece: @escaping @Sendable (_ size: Int, _ place: Cursor) async throws -> Piece
  ) -> ResponseBody {
    .stream { [call] writer in
      try await writer.write(first)
      var (place, rest) = (place, rest)
      while rest != 0 {
        try sessions.requireValidity(of: call.principal)
        let piece = try await piece(min(rest ?? .max, call.limits.largestPageSize), place)
        if !piece.bytes.isEmpty { try await writer.write(piece.bytes) }
        guard let next = piece.next else { return }
        place = next
        rest = rest.map { $0 - piece.count }
        precondition(rest ?? 0 >= 0, "no more objects are sent than are wanted")
      }
    }
  }
}

extension QueryParameters {
  fileprivate init(_ content: QueryContent, of call: Call) throws(APIError) {
    try self.init(
      content.members, in: call.parameters, known: Parameters.Name.ofQueries,
      PageLimit(call.mediaType, call.limits))
  }
}

extension Response {
  /// Tells how the objects of a query are found: in one store, or in each of several.
  init(explaining explanations: [Explanation], hints: [String], _ mediaType: MediaType) {
    var document = explanations[0].document
    if explanations.count > 1 {
      document.append("shards", .array(explanations.map { .document($0.document) }))
      document.replace("estimatedRows", .int64(explanations.reduce(0) { $0 + Int64($1.estimatedRows) }))
      document.replace("objects", .int64(explanations.reduce(0) { $0 + $1.objects }))
    }
    if !hints.isEmpty { document.append("hints", .array(hints.map { .string($0) })) }
    self.init(status: .ok, content: mediaType.bytes(of: .document(document)), mediaType)
  }
}

extension Explanation {
  fileprivate var document: Document {
    [
      "class": .string(objectType), "filter": .string(filter),
      "indexes": .array(indexes.map { .string($0) }),
      "inMemory": .array(inMemory.map { .string($0) }),
      "estimatedRows": .int64(Int64(estimatedRows)), "objects": .int64(objects),
      "steps": .array(steps.map { .string($0) }), "sql": .string(sql),
    ]
  }
}
