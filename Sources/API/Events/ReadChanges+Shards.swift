import GatehouseBSON
import GatehouseHTTP
import GatehouseStorage

// The change logs of all shards of a group: a page has a part of each, and says where each goes on.
extension ReadChanges {
  /// Reads a position, or one of each shard's log. Throws ``APIError/invalidParameter(_:)``.
  static func starts(_ text: String?) throws(APIError) -> [LogStart] {
    let parts = text?.split(separator: ShardVersions.separator, omittingEmptySubsequences: false) ?? []
    guard parts.count > 1 else { return [try start(text)] }
    let positions = parts.compactMap { LogPosition(text: String($0)) }
    guard positions.count == parts.count else { throw .invalidParameter(.since) }
    return positions.map { .after($0) }
  }

  /// Answers with a page of as many changes as are wanted at most, or with one of each shard. Those of one shard are in the order of its log,
  /// and those of different ones by the time of their commits.
  func mergedAnswer(of shards: [(call: Call, events: EventAccess)]) async throws -> Response {
    let starts = try self.starts(of: shards.count)
    let share = max(1, min(limit ?? .max, call.limits.largestPageSize) / shards.count)
    var pages: [ChangePage] = []
    for ((call, events), start) in zip(shards, starts) {
      if let version = start.version { try await events.data.reach(version) }
      pages.append(
        try await page(from: start, through: events.data.store.version, limit: share, events, for: call))
    }
    let next = pages.map(\.next.text).joined(separator: "\(ShardVersions.separator)")
    let changes = ReadChanges.inOrder(pages)
    var bytes: [UInt8] = []
    if mediaType == .jsonLines {
      for change in changes { append(line: change, to: &bytes) }
    } else {
      append(changes, next: next, to: &bytes)
    }
    var response = Response(status: .ok, content: bytes, mediaType)
    if !pages.allSatisfy(\.isLast) { response.fields.append("link", link(to: next)) }
    return response
  }

  /// Returns the changes of all pages. The schema changes in every shard, and is told once.
  private static func inOrder(_ pages: [ChangePage]) -> [LoggedChange] {
    var changes: [LoggedChange] = []
    var rests = pages.enumerated().map { index, page in
      page.changes.filter { index == 0 || $0.operation != .schema }[...]
    }
    while let index = rests.indices.filter({ !rests[$0].isEmpty }).min(by: {
      rests[$0][rests[$0].startIndex].time < rests[$1][rests[$1].startIndex].time
    }) {
      changes.append(rests[index].removeFirst())
    }
    return changes
  }
}
