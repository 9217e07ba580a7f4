/// A transaction as the log has it, or a part of a large one: its place among the store's versions, and the rows that it changes.
///
/// ## Format
///
/// | bytes | |
/// |---|---|
/// | 1 | ``format`` |
/// | 1 | flags: 1 the first part, 2 the last part |
/// | varint | ``number`` |
/// | varint | ``base`` |
/// | varint | ``version`` |
/// | the rest | records (``RowRecord``), cut anywhere: those of all parts are one sequence of bytes |
///
/// A varint is an unsigned number in groups of seven bits, the lowest first; all bytes but the last have their highest bit set
/// (LEB128).
public struct TransactionPart: Hashable, Sendable {
  /// Goes up when a program of today could not apply the transactions of tomorrow.
  public static let format: UInt8 = 1
  /// The most bytes of a part: an entry of 512 KiB has room for it and what its owner adds.
  public static let largestSize = (512 << 10) - 4096

  /// The number of the part in its transaction, from 0.
  public let number: Int
  /// Whether the transaction is complete with it.
  public let isLast: Bool
  /// The version of the store before the transaction.
  public let base: Int64
  /// The version with the transaction: it is the commits after ``base`` up to this. The same as ``base`` where it is none, such as
  /// one that changes records only; in parts before the last one, too.
  public let version: Int64
  /// The whole part, as the log keeps it.
  public let bytes: [UInt8]
  /// Where the records begin in ``bytes``.
  package let recordsStart: Int

  /// Takes apart what a log has kept. What comes before the records is looked at, not the records themselves.
  public init(_ bytes: [UInt8]) throws(EntryError) {
    self.bytes = bytes
    guard let format = bytes.first else { throw .truncated }
    guard format == TransactionPart.format else { throw .unknownFormat(format) }
    guard bytes.count > 1 else { throw .truncated }
    let flags = bytes[1]
    guard flags <= 3 else { throw .malformed(offset: 1) }
    var position = 2
    func number() throws(EntryError) -> UInt64 {
      let start = position
      let value = bytes.withUnsafeBytes { ByteReader($0).varint(at: &position) }
      switch value {
      case .value(let value): return value
      case .incomplete: throw .truncated
      case .malformed: throw .malformed(offset: start)
      }
    }
    func version() throws(EntryError) -> Int64 {
      let start = position
      let value = try number()
      guard value < 1 << 62 else { throw .malformed(offset: start) }
      return Int64(value)
    }
    let partNumber = try number()
    guard partNumber < 1 << 31, (partNumber == 0) == (flags & 1 == 1) else { throw .malformed(offset: 2) }
    self.number = Int(partNumber)
    isLast = flags & 2 == 2
    base = try version()
    let versionStart = position
    self.version = try version()
    guard self.version >= base, isLast || self.version == base else { throw .malformed(offset: versionStart) }
    recordsStart = position
  }

  /// The bytes that a part has before its records, at most.
  static let largestHead = 2 + 5 + 10 + 10

  init(
    number: Int, isLast: Bool, base: Int64, version: Int64, records: UnsafeRawBufferPointer
  ) {
    precondition(
      version >= base && (isLast || version == base), "the last part makes the versions, which never go back")
    self.number = number
    self.isLast = isLast
    self.base = base
    self.version = version
    var head: [UInt8] = [TransactionPart.format, (number == 0 ? 1 : 0) | (isLast ? 2 : 0)]
    for value in [UInt64(number), UInt64(base), UInt64(version)] {
      var rest = value
      while rest >= 0x80 {
        head.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
      }
      head.append(UInt8(rest))
    }
    recordsStart = head.count
    var bytes: [UInt8] = []
    bytes.reserveCapacity(head.count + records.count)
    bytes += head
    bytes += records
    precondition(bytes.count <= TransactionPart.largestSize, "an entry has room for a part")
    self.bytes = bytes
  }
}
