/// The entries that the servers of a log have agreed on, and the rule by which they take another one.
public struct EntryStream: Sendable {
  private var items: [LogPage.Item] = []
  private var positions: [String: UInt64] = [:]
  /// The first position that is still there.
  public private(set) var first: UInt64 = 1

  /// The most bytes of one page, unless its first entry alone has more.
  static let pageSize = 4 << 20

  public init() {}

  /// The last position; 0: there has been none.
  public var last: UInt64 { first - 1 + UInt64(items.count) }

  /// All entries that are there.
  public var entries: [LogPage.Item] { items }

  /// Appends an entry where it is expected. One whose identity is there already has been appended before.
  public mutating func append(
    _ entry: [UInt8], expecting expected: UInt64, identity: String
  ) -> AppendOutcome {
    if let position = positions[identity] { return .appended(position) }
    guard expected == last else { return .refused(current: last) }
    items.append(LogPage.Item(position: last + 1, bytes: entry))
    positions[identity] = last
    precondition(items.last?.position == last, "positions have no gaps")
    return .appended(last)
  }

  /// Returns the entries behind a position; those of a server that is late lack the last `missing` ones.
  public func page(after position: UInt64, missing: UInt64 = 0) -> LogPage {
    let end = last - min(missing, UInt64(items.count))
    let start = max(position + 1, first)
    var size = 0
    var page: [LogPage.Item] = []
    if start <= end {
      for item in items[Int(start - first)...Int(end - first)] {
        size += item.bytes.count
        if size > EntryStream.pageSize, !page.isEmpty { break }
        page.append(item)
      }
    }
    return LogPage(page, first: first, last: end)
  }

  /// Removes the entries up to a position, as limits on size or age do.
  public mutating func trim(through position: UInt64) {
    let count = min(items.count, position < first ? 0 : Int(position - first) + 1)
    items.removeFirst(count)
    first += UInt64(count)
  }

  /// Changes one byte of an entry, as a bad disk does.
  public mutating func damage(_ position: UInt64, at offset: Int) {
    let index = Int(position - first)
    var bytes = items[index].bytes
    bytes[offset] ^= 1
    items[index] = LogPage.Item(position: position, bytes: bytes)
  }
}
