import GatehouseAccess
import GatehouseAudit
import GatehouseBSON
import GatehouseFeeds
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage

extension Feature {
  /// The change log, and tickets for streams. That a resource is watched is a media type of its own endpoint:
  /// ``Subscribe``.
  static let events = Feature(endpoints: [
    .readChanges, .createTicket, .openStreamByTicket, .openStream, .addSubscriptions, .removeSubscription,
  ])
}

extension Endpoint {
  static let readChanges = Endpoint(
    "readChanges", .get("/v1/changes", parameters: [.since, .limit, .class]), answers: MediaType.forChanges,
    requires: .permit, records: .reads, using: \.events
  ) { call, events in try await ReadChanges(call).answer(events) }
}

/// GET of the change log, from a position on.
struct ReadChanges: Sendable {
  /// A place in the log, or one in that of each shard.
  private let starts: [LogStart]
  /// The most changes of the answer; nil: all there are.
  let limit: Int?
  private let objectType: String?
  private let schema: Schema
  let mediaType: MediaType
  private let parameters: Parameters
  /// Says what the caller may see; nil: everything.
  private let rules: SubscriptionRules?
  let call: Call

  init(_ call: Call) throws {
    self.call = call
    parameters = call.parameters
    mediaType = call.mediaType
    schema = call.schema
    // Also a class that the schema no longer has: the log may know it.
    objectType = parameters[.class]
    rules = try call.permit?.rules(for: objectType.map { .objectType($0) } ?? .everything, in: schema)
    starts = try ReadChanges.starts(parameters[.since])
    let page = PageLimit(mediaType, call.limits)
    limit = try parameters[.limit].map(page.limit) ?? page.standard
  }

  /// `now` where the parameter is left out, as for events.
  static func start(_ text: String?) throws(APIError) -> LogStart {
    switch text {
    case nil, "now": return .latest
    case "0": return .oldest
    case let text?:
      if let position = LogPosition(text: text) { return .after(position) }
      let bytes = Array(text.utf8)
      let time = unsafe bytes.withUnsafeBufferPointer { unsafe Date(text: $0) }
      guard let time else { throw .invalidParameter(.since) }
      return .time(time)
    }
  }

  /// Returns where the log of each of `count` stores is read from. Throws ``APIError/invalidParameter(_:)`` where the positions are those of
  /// another number of stores.
  func starts(of count: Int) throws(APIError) -> [LogStart] {
    if starts.count == count { return starts }
    // A position is one in the log of one store.
    guard starts.count == 1, starts[0].version == nil else { throw .invalidParameter(.since) }
    return Array(repeating: starts[0], count: count)
  }

  func answer(_ events: EventAccess) async throws -> Response {
    let shards = try await events.callsInShards(call)
    if !shards.isEmpty { return try await mergedAnswer(of: shards) }
    let start = try starts(of: 1)[0]
    if let version = start.version { try await events.data.reach(version) }
    let last = events.data.store.version
    let page = try await page(from: start, through: last, limit: limit, events, for: call)
    var bytes: [UInt8] = []
    guard mediaType == .jsonLines else {
      append(page.changes, next: page.next.text, to: &bytes)
      var response = Response(status: .ok, content: bytes, mediaType)
      if !page.isLast { response.fields.append("link", link(to: page.next.text)) }
      return response
    }
    for change in page.changes { append(line: change, to: &bytes) }
    var response = Response(status: .ok, content: bytes, mediaType)
    let rest = limit.map { $0 - page.changes.count }
    precondition(rest ?? 0 >= 0, "a page has no more changes than are wanted")
    guard !page.isLast, rest != 0 else {
      if !page.isLast { response.fields.append("link", link(to: page.next.text)) }
      return response
    }
    response.body = stream(from: page.next, through: last, limit: rest, after: bytes, events)
    return response
  }

  /// A change shows an object as it was and as it is: who reads the log has read both.
  func page(
    from start: LogStart, through last: Int64, limit rest: Int?, _ events: EventAccess, for call: Call
  ) async throws -> ChangePage {
    let largest = call.limits.largestPageSize
    let limit = min(rest ?? largest, largest)
    let page =
      if let rules {
        try await page(under: rules, from: start, through: last, limit: limit, events, for: call)
      } else {
        // The log is read once it is durable, for which no event loop waits.
        try await events.data.read(for: call, onThread: !events.data.store.isSettled) { reader in
          try reader.changes(from: start, through: last, limit: limit, objectType: objectType)
        }
      }
    if let recording = call.recording, recording.recordsReads {
      try await recording.record(page.changes.observations(in: schema), as: .query)
    }
    return page
  }

  /// Reads until there is something to show, or the end: others have their turn in between.
  private func page(
    under rules: SubscriptionRules, from start: LogStart, through last: Int64, limit: Int,
    _ events: EventAccess, for call: Call
  ) async throws -> ChangePage {
    var start = start
    let log = events.broker.visibleLog
    while true {
      try Task.checkCancellation()
      let page = try await events.data.read(for: call, onThread: true) { [start, objectType] _ in
        try log.page(of: objectType, under: rules, from: start, through: last, limit: limit)
      }
      guard let page else { continue }
      if page.isLast || !page.changes.isEmpty { return page }
      start = .after(page.next)
    }
  }

  func append(_ changes: [LoggedChange], next: String, to bytes: inout [UInt8]) {
    bytes += #"{"changes":["#.utf8
    for (index, change) in changes.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      change.append(as: mediaType.representation, in: schema, to: &bytes)
    }
    bytes += #"],"next":"\#(next)"}"#.utf8
  }

  func append(line change: LoggedChange, to bytes: inout [UInt8]) {
    change.append(as: .json, in: schema, to: &bytes)
    bytes.append(UInt8(ascii: "\n"))
  }

  /// The URI of the next page (RFC 8288).
  func link(to next: String) -> String {
    parameters.linkToNextPage(at: "/v1/changes", .since, next)
  }

  /// Up to the commit that was the last when the request came. Each page is read by itself, so that the stream
  /// holds no snapshot; where the log is shortened meanwhile, the connection ends before the end of the content.
  private func stream(
    from position: LogPosition, through last: Int64, limit rest: Int?, after first: [UInt8],
    _ events: EventAccess
  ) -> ResponseBody {
    .stream { writer in
      try await writer.write(first)
      var position = position
      var rest = rest
      while rest != 0 {
        try events.data.sessions.requireValidity(of: call.principal)
        let page = try await page(from: .after(position), through: last, limit: rest, events, for: call)
        var bytes: [UInt8] = []
        for change in page.changes { append(line: change, to: &bytes) }
        if !bytes.isEmpty { try await writer.write(bytes) }
        if page.isLast { return }
        precondition(page.next > position, "the log is read from its beginning to its end")
        position = page.next
        rest = rest.map { $0 - page.changes.count }
      }
    }
  }
}
