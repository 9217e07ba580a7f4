internal import GatehouseCrypto

/// The SHA-256 of an entry with all that stands before it: each entry holds the hash of the one before.
public struct EntryHash: Hashable, Sendable {
  /// The bytes of a hash.
  public static let size = 32

  public let bytes: [UInt8]

  /// Nil unless there are ``size`` bytes.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == EntryHash.size else { return nil }
    self.bytes = Array(bytes)
  }

  init(hashing message: [UInt8]) { bytes = Digest.sha256.hash(message) }

  private init(zeros: Int) { bytes = Array(repeating: 0, count: zeros) }

  /// The hash before the first entry.
  public static let none = EntryHash(zeros: size)
}

extension EntryHash: CustomStringConvertible {
  /// The first eight bytes in hexadecimal, which tell two of them apart in a log.
  public var description: String {
    bytes.prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
