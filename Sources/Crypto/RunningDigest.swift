internal import COpenSSL

/// The hash of a message that comes in pieces.
public struct RunningDigest: ~Copyable {
  private let context: OpaquePointer
  private let digest: Digest

  /// The hash of nothing yet.
  public init(_ digest: Digest) {
    guard let context = EVP_MD_CTX_new() else { preconditionFailure("no memory") }
    precondition(EVP_DigestInit_ex(context, digest.algorithm, nil) == 1)
    self.context = context
    self.digest = digest
  }

  deinit {
    EVP_MD_CTX_free(context)
  }

  /// Adds the next piece.
  public mutating func update(_ piece: [UInt8]) {
    precondition(EVP_DigestUpdate(context, piece, piece.count) == 1)
  }

  /// The hash of all pieces.
  public consuming func finish() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: digest.size) { output, count in
      var length: UInt32 = 0
      precondition(EVP_DigestFinal_ex(context, output.baseAddress, &length) == 1)
      count = Int(length)
    }
  }
}
