public import GatehouseStorage

/// A log, as a node has to know it before it opens its store.
public struct LogSurvey: Hashable, Sendable {
  /// Whether the log has something that the store cannot take from there any more: it has to become a copy of another node's.
  public let needsCopy: Bool
  /// The node that wrote the last entry; nil: there is none.
  public let lastAuthor: String?

  /// Asks the log's servers. Throws ``LogError``, and ``StopReason`` where an entry cannot be read.
  ///
  /// - Parameter point: The place that the store has come to; nil: there is no store, or it has none.
  public init(_ log: any ReplicatedLog, from point: ReplicationPoint?) throws {
    let position = point?.sequence ?? 0
    let page = try log.read(after: position, patience: .zero)
    guard page.last > 0 else {
      (needsCopy, lastAuthor) = (false, nil)
      return
    }
    if page.first > position + 1 {
      needsCopy = true
    } else if position == 0, let first = page.items.first {
      // The first leader's store had objects before there was a log.
      needsCopy = try LogSurvey.entry(first).versions.lowerBound > 1
    } else {
      needsCopy = false
    }
    let last = try log.read(after: page.last - 1, patience: .zero)
    lastAuthor = try last.items.last.map { try LogSurvey.entry($0).node }
  }

  private static func entry(_ item: LogPage.Item) throws(StopReason) -> Entry {
    do throws(EntryError) { return try Entry.decode(item.bytes).entry } catch {
      throw .malformedEntry(position: item.position, error)
    }
  }
}
