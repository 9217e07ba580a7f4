internal import CGatehouseOpenSSL

/// A hash function of FIPS 180-4.
public enum Digest: String, Hashable, Sendable, CaseIterable {
  case sha256
  case sha384
  case sha512

  /// The bytes of a hash.
  public var size: Int {
    switch self {
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  /// The hash of a message.
  public func hash(_ message: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: size) { output, count in
      var length: UInt32 = 0
      let isDone = EVP_Digest(message, message.count, output.baseAddress, &length, algorithm, nil)
      // It can only fail where there is no memory, or where OpenSSL was built without the function.
      precondition(isDone == 1)
      count = Int(length)
    }
  }

  var algorithm: OpaquePointer {
    switch self {
    case .sha256: Digest.fetched256
    case .sha384: Digest.fetched384
    case .sha512: Digest.fetched512
    }
  }

  // Found once: to look for an algorithm takes longer than to hash a short message (OpenSSL's crypto(7),
  // "Performance"). They are never changed nor freed.
  private nonisolated(unsafe) static let fetched256 = fetch("SHA256")
  private nonisolated(unsafe) static let fetched384 = fetch("SHA384")
  private nonisolated(unsafe) static let fetched512 = fetch("SHA512")

  private static func fetch(_ name: String) -> OpaquePointer {
    guard let algorithm = EVP_MD_fetch(nil, name, nil) else { preconditionFailure("OpenSSL has no \(name)") }
    return algorithm
  }
}
