/// An entry of the replicated log.
///
/// | offset | bytes | field |
/// |---|---|---|
/// | 0 | 1 | format, 1 |
/// | 1 | 1 | kind |
/// | 2 | 1 | 1: the last part of its commit; 0: more follow |
/// | 3 | 1 | length of the node's name, n |
/// | 4 | 4 | number of the part, from 0 |
/// | 8 | 8 | epoch |
/// | 16 | 8 | version that the entry stands on |
/// | 24 | 8 | version after it |
/// | 32 | 32 | hash of the entry before |
/// | 64 | n | name of the node, in UTF-8 |
/// | 64 + n | – | rows |
/// | end | 32 | SHA-256 of everything before |
///
/// Numbers begin with their lowest byte. The hash at the end is what the next entry holds of this one: so damage is found before
/// anything of an entry is applied, and two logs that were ever different are never taken for the same.
public struct Entry: Hashable, Sendable {
  public enum Kind: UInt8, Sendable {
    /// Row changes of one commit of the store, or a part of them.
    case rows = 1
    /// The node begins to lead, in an epoch of its own.
    case takeover = 2
    /// The leader is still there.
    case renewal = 3
    /// The leader stops to lead.
    case resignation = 4
  }

  /// The place of an entry among those of its commit.
  public struct Part: Hashable, Sendable {
    public let number: UInt32
    public let isLast: Bool

    public init(_ number: UInt32, isLast: Bool) {
      self.number = number
      self.isLast = isLast
    }

    /// All there is.
    public static let whole = Part(0, isLast: true)
  }

  public static let format: UInt8 = 1
  /// The most bytes that an entry may have.
  public static let sizeLimit = 512 << 10
  /// The most bytes that a node's name may have.
  public static let nameLimit = 255
  /// The most bytes of rows that fit into any entry.
  public static let rowLimit = sizeLimit - headSize - nameLimit - EntryHash.size

  static let headSize = 64

  public let kind: Kind
  public let part: Part
  /// The name of the node that wrote it.
  public let node: String
  /// Grows by one with each takeover.
  public let epoch: UInt64
  /// The versions that its commit makes: empty where it makes none; beginning behind the version that it stands on.
  public let versions: Range<Int64>
  /// The hash of the entry before.
  public let previous: EntryHash
  /// Opaque here: what the store has captured.
  public let rows: [UInt8]

  /// An entry without rows.
  init(_ kind: Kind, by author: EntryAuthor, on version: Int64, after previous: EntryHash) {
    self.kind = kind
    part = .whole
    (node, epoch) = (author.node, author.epoch)
    precondition(kind != .rows && version >= 0, "an entry without rows makes no version")
    versions = (version + 1)..<(version + 1)
    self.previous = previous
    rows = []
  }

  /// Rows of a commit, ``rowLimit`` bytes at most.
  init(
    rows: [UInt8], part: Part, versions: Range<Int64>, by author: EntryAuthor, after previous: EntryHash
  ) {
    precondition(rows.count <= Entry.rowLimit, "the rows fit into an entry")
    precondition(part.isLast || versions.isEmpty, "the last part makes the versions")
    kind = .rows
    self.part = part
    (node, epoch) = (author.node, author.epoch)
    self.versions = versions
    self.previous = previous
    self.rows = rows
  }

  fileprivate init(_ fields: EntryFields, node: String, previous: EntryHash, rows: [UInt8]) {
    (kind, part, epoch, versions) = (fields.kind, fields.part, fields.epoch, fields.versions)
    (self.node, self.previous, self.rows) = (node, previous, rows)
  }
}

/// The leader who writes an entry.
struct EntryAuthor: Hashable, Sendable {
  let node: String
  let epoch: UInt64
}

// Bytes
extension Entry {
  /// Returns the bytes of the entry, and the hash that the next one holds of it.
  public func encoded() -> (bytes: [UInt8], hash: EntryHash) {
    let name = Array(node.utf8)
    precondition(!name.isEmpty && name.count <= Entry.nameLimit, "a node has a name that fits")
    precondition(epoch > 0, "who writes an entry has begun an epoch")
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Entry.headSize + name.count + rows.count + EntryHash.size)
    bytes += [Entry.format, kind.rawValue, part.isLast ? 1 : 0, UInt8(name.count)]
    append(part.number, to: &bytes)
    append(epoch, to: &bytes)
    append(versions.lowerBound - 1, to: &bytes)
    append(versions.upperBound - 1, to: &bytes)
    bytes += previous.bytes
    bytes += name
    bytes += rows
    let hash = EntryHash(hashing: bytes)
    precondition(bytes.count + EntryHash.size <= Entry.sizeLimit, "an entry has at most so many bytes")
    return (bytes + hash.bytes, hash)
  }

  private func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
  }

  /// Reads an entry, and returns it with the hash that the next one holds of it. Throws ``EntryError``.
  public static func decode(_ bytes: [UInt8]) throws(EntryError) -> (entry: Entry, hash: EntryHash) {
    guard bytes.count > headSize + EntryHash.size else { throw .tooShort(bytes.count) }
    guard bytes.count <= sizeLimit else { throw .tooLong(bytes.count) }
    guard bytes[0] == format else { throw .unknownFormat(bytes[0]) }
    let end = bytes.count - EntryHash.size
    guard let hash = EntryHash(bytes[end...]), EntryHash(hashing: Array(bytes[..<end])) == hash else {
      throw .damaged
    }
    let fields = try EntryFields(bytes)
    let start = headSize + fields.nameSize
    guard start <= end else { throw .malformed(offset: 3) }
    guard let node = String(validating: bytes[headSize..<start], as: UTF8.self) else {
      throw .malformed(offset: headSize)
    }
    guard let previous = EntryHash(bytes[32..<headSize]) else { throw .malformed(offset: 32) }
    if fields.kind != .rows {
      guard start == end else { throw .malformed(offset: start) }
      guard fields.part == .whole, fields.versions.isEmpty else { throw .malformed(offset: 2) }
    }
    return (Entry(fields, node: node, previous: previous, rows: Array(bytes[start..<end])), hash)
  }
}

/// The fields of an entry that have a fixed place.
private struct EntryFields {
  let kind: Entry.Kind
  let part: Entry.Part
  let nameSize: Int
  let epoch: UInt64
  let versions: Range<Int64>

  /// Reads the head of an entry.
  init(_ bytes: [UInt8]) throws(EntryError) {
    guard let kind = Entry.Kind(rawValue: bytes[1]) else { throw .unknownKind(bytes[1]) }
    guard bytes[2] <= 1 else { throw .malformed(offset: 2) }
    self.kind = kind
    nameSize = Int(bytes[3])
    guard (1...Entry.nameLimit).contains(nameSize) else { throw .malformed(offset: 3) }
    part = Entry.Part(Self.number(bytes, at: 4), isLast: bytes[2] == 1)
    epoch = Self.number(bytes, at: 8)
    let base: Int64 = Self.number(bytes, at: 16)
    let last: Int64 = Self.number(bytes, at: 24)
    guard epoch > 0, epoch < .max else { throw .malformed(offset: 8) }
    guard base >= 0, last >= base, last < .max else { throw .malformed(offset: 16) }
    // The last part makes the versions.
    guard part.isLast || last == base else { throw .malformed(offset: 24) }
    versions = (base + 1)..<(last + 1)
  }

  private static func number<Number: FixedWidthInteger>(_ bytes: [UInt8], at offset: Int) -> Number {
    bytes.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
  }
}
