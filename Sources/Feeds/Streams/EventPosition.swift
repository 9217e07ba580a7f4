import GatehouseBSON
public import GatehouseStorage

/// A place in a stream: behind an event.
///
/// `12-3` is behind everything that change 3 of version 12 means to a subscriber. Where a change touches many objects
/// through links, each of them but the changed one itself has an event of its own: `12-3-0`, `12-3-1` …, which come
/// before `12-3`.
public struct EventPosition: Hashable, Sendable {
  /// The last change that has been told, or of which some has.
  public let log: LogPosition
  /// Nil: all of it has been told; otherwise only events up to that one.
  public let part: Int?

  init(_ log: LogPosition, part: Int? = nil) {
    self.log = log
    self.part = part
  }

  /// Reads what ``text`` writes.
  public init?(text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3 else {
      guard let log = LogPosition(text: text) else { return nil }
      self.init(log)
      return
    }
    // The same digits as elsewhere: none of them in front without need.
    guard let log = LogPosition(text: "\(parts[0])-\(parts[1])"),
      let number = LogPosition(text: String(parts[2]))
    else { return nil }
    self.init(log, part: Int(number.version))
  }

  /// The position as an `id` has it.
  public var text: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends ``text``.
  func append(to bytes: inout [UInt8]) {
    log.append(to: &bytes)
    guard let part else { return }
    bytes.append(UInt8(ascii: "-"))
    bytes.appendDecimal(Int64(part))
  }

  /// The last position of the log behind which everything is to be looked at again.
  var logged: LogPosition {
    guard part != nil else { return log }
    return log.ordinal == 0
      ? LogPosition(version: log.version - 1) : LogPosition(version: log.version, ordinal: log.ordinal - 1)
  }
}

/// Where a stream begins.
public enum StreamStart: Hashable, Sendable {
  /// Now, with all that is watched where it is a collection or a property.
  case fresh
  /// Behind what is in the log at that start.
  case log(LogStart)
  case after(EventPosition)
  /// Behind something that is no position of ours: what came after it is not known.
  case unknown

  /// Whether there may be something to tell that has happened.
  var isPast: Bool {
    switch self {
    case .fresh, .log(.latest): false
    case .log, .after, .unknown: true
    }
  }
}
