import GatehouseBSON
import GatehouseCrypto

/// By what a page is known again: the beginning of its SHA-256.
struct PageDigest: Hashable, Sendable {
  private let first: UInt64
  private let second: UInt64

  static let none = PageDigest(first: 0, second: 0)

  init(of page: [UInt8]) {
    let hash = Digest.sha256.hash(page)
    (first, second) = hash.withUnsafeBytes {
      ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
  }

  private init(first: UInt64, second: UInt64) {
    self.first = first
    self.second = second
  }

  /// The hash of all digests, in hexadecimal.
  static func text(of digests: [PageDigest]) -> String {
    var hash = RunningDigest(.sha256)
    for digest in digests {
      withUnsafeBytes(of: (digest.first, digest.second)) { hash.update($0) }
    }
    return Hexadecimal.text(of: hash.finish())
  }
}
