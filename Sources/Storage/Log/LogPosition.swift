import GatehouseBSON

/// A place in the change log: everything up to and including it has been seen.
///
/// As text `12-3` is behind change 3 of version 12, and `12` behind the whole of version 12.
public struct LogPosition: Hashable, Comparable, Sendable {
  public let version: Int64
  /// The change's number in its commit, from 0; `Int64.max` stands for the whole commit.
  public let ordinal: Int64

  public init(version: Int64, ordinal: Int64) {
    self.version = version
    self.ordinal = ordinal
  }

  /// Behind a whole commit.
  public init(version: Int64) {
    self.init(version: version, ordinal: .max)
  }

  /// Reads what ``text`` writes.
  public init?(text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count <= 2, let version = LogPosition.number(parts[0]) else { return nil }
    guard parts.count == 2 else {
      self.init(version: version)
      return
    }
    guard let ordinal = LogPosition.number(parts[1]) else { return nil }
    self.init(version: version, ordinal: ordinal)
  }

  public var text: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends ``text``.
  public func append(to bytes: inout [UInt8]) {
    bytes.appendDecimal(version)
    guard ordinal != .max else { return }
    bytes.append(UInt8(ascii: "-"))
    bytes.appendDecimal(ordinal)
  }

  public static func < (left: LogPosition, right: LogPosition) -> Bool {
    (left.version, left.ordinal) < (right.version, right.ordinal)
  }

  /// Digits only, and no zero in front.
  private static func number(_ text: Substring) -> Int64? {
    guard text.allSatisfy({ $0.isASCII && $0.isNumber }), text == "0" || !text.hasPrefix("0") else {
      return nil
    }
    return Int64(text)
  }
}
