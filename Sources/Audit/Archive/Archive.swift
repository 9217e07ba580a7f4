import GatehouseBSON
public import GatehouseModel

/// A file of old events: the chain before them, the events in their order, and the chain behind them.
///
///     {"first":0,"previous":"0000…"}
///     {"_id":…,"activity":…,"chain":…,…}
///     …
///     {"chain":"91ab…","events":500}
public struct Archive: Sendable {
  /// An archive's file name: this prefix, the key of its first event, and ``suffix``.
  public static let prefix = "audit-"
  public static let suffix = ".ndjson"

  public let name: String
  public let content: [UInt8]
  /// The chain before its first event.
  let previous: String

  /// Makes the file of events, of which there is at least one; `previous` is the chain before them.
  init(_ events: [ChainedEvent], after previous: String) {
    self.previous = previous
    let first = events[0].key.value
    precondition(
      events[events.count - 1].key.value - first >= events.count - 1,
      "the events of an archive are in their order")
    let digits = String(first)
    name = Archive.prefix + String(repeating: "0", count: 19 - digits.count) + digits + Archive.suffix
    var text = JSONText()
    text.append(#"{"first":"#)
    text.int(first)
    text.append(#","previous":"#)
    text.quoted(previous)
    text.append("}\n")
    for event in events {
      text.bytes += event.line
      text.append("\n")
    }
    text.append(#"{"chain":"#)
    text.quoted(events[events.count - 1].chain)
    text.append(#","events":"#)
    text.int(Int64(events.count))
    text.append("}\n")
    content = text.bytes
  }

  /// Returns the key of the first event of the archive of that name; nil if no archive is named so.
  public static func firstKey(ofFile name: String) -> ObjectKey? {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
    let digits = name.dropFirst(prefix.count).dropLast(suffix.count)
    guard digits.count == 19, let key = Int64(digits), key >= 0 else { return nil }
    return ObjectKey(key)
  }
}
