internal import GatehouseCrypto

/// A key of an operator's own making, given by a setting: the first one there is.
public struct AdminKey: Hashable, Sendable {
  /// Bytes that it has at least.
  public static let leastLength = 16

  private let hash: [UInt8]

  /// Nil where the text is too short to be a secret.
  public init?(_ text: String) {
    guard text.utf8.count >= Self.leastLength else { return nil }
    hash = Digest.sha256.hash(Array(text.utf8))
  }

  /// Whether that is its text.
  public func matches(_ text: String) -> Bool {
    ConstantTime.isEqual(Digest.sha256.hash(Array(text.utf8)), hash)
  }
}
