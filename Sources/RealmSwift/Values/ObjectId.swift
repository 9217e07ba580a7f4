internal import GatehouseBSON

/// A 12-byte identifier of an object, which is probably unique: a time in seconds, a number of the machine and the
/// process, and a counter.
public final class ObjectId: Sendable {
  /// The value as the store has it.
  let stored: GatehouseBSON.ObjectID

  init(_ stored: GatehouseBSON.ObjectID) {
    self.stored = stored
  }

  /// Creates an ObjectId of zeros.
  public required init() {
    stored = GatehouseBSON.ObjectID(high: 0, low: 0)
  }

  /// Creates an ObjectId from 24 hexadecimal digits.
  ///
  /// - Throws: ``ValueError/invalidObjectId(_:)`` where the text is anything else.
  public required init(string: String) throws {
    guard let stored = GatehouseBSON.ObjectID(string) else { throw ValueError.invalidObjectId(string) }
    self.stored = stored
  }

  /// Creates an ObjectId from a literal of 24 hexadecimal digits; traps where it is anything else.
  public required init(_ str: StaticString) {
    let text = str.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
    guard let stored = GatehouseBSON.ObjectID(text) else {
      fatalError(ValueError.invalidObjectId(text).description)
    }
    self.stored = stored
  }

  /// Returns a new ObjectId that no other one equals, in all probability.
  public static func generate() -> ObjectId {
    ObjectId(GatehouseBSON.ObjectID.generate())
  }

  /// The 24 hexadecimal digits, in lower case.
  public var stringValue: String { stored.description }

  /// Seconds since 1970, of the first four bytes.
  var seconds: UInt32 { UInt32(truncatingIfNeeded: stored.high >> 32) }

  /// Bytes of a time, three of a machine, two of a process, and three of the counter (C:object_id.cpp). Numbers of
  /// machines and processes are put in with their least byte first.
  static func stored(seconds: UInt32, machine: Int, process: Int) -> GatehouseBSON.ObjectID {
    let counter = GatehouseBSON.ObjectID.generate().low & 0xFF_FFFF
    let machine = UInt64(UInt32(truncatingIfNeeded: machine).byteSwapped >> 8)
    let process = UInt64(UInt16(truncatingIfNeeded: process).byteSwapped)
    return GatehouseBSON.ObjectID(
      high: UInt64(seconds) << 32 | machine << 8 | process >> 8,
      low: UInt32(truncatingIfNeeded: process & 0xFF) << 24 | counter)
  }
}

extension ObjectId: CustomStringConvertible {
  /// The 24 hexadecimal digits.
  public var description: String { stringValue }
}

extension ObjectId: Comparable, Hashable {
  /// Whether the bytes are the same.
  public static func == (lhs: ObjectId, rhs: ObjectId) -> Bool { lhs.stored == rhs.stored }

  /// Whether the bytes of the first come before those of the second.
  public static func < (lhs: ObjectId, rhs: ObjectId) -> Bool { lhs.stored < rhs.stored }

  /// Whether the bytes of the first do not come after those of the second.
  public static func <= (lhs: ObjectId, rhs: ObjectId) -> Bool { !(rhs < lhs) }

  /// Whether the bytes of the first do not come before those of the second.
  public static func >= (lhs: ObjectId, rhs: ObjectId) -> Bool { !(lhs < rhs) }

  /// Whether the bytes of the first come after those of the second.
  public static func > (lhs: ObjectId, rhs: ObjectId) -> Bool { rhs < lhs }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(stored) }
}

extension ObjectId: Codable {
  /// Reads a text of 24 hexadecimal digits.
  public convenience init(from decoder: any Decoder) throws {
    try self.init(string: decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the 24 hexadecimal digits as a text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(stringValue)
  }
}
