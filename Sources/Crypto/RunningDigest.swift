internal import CGatehouseOpenSSL

/// The hash of a message that comes in pieces.
public struct RunningDigest: ~Copyable {
  private let context: OpaquePointer
  private let size: Int

  public init(_ digest: Digest) {
    guard let context = EVP_MD_CTX_new() else { preconditionFailure("no memory") }
    self.context = context
    size = digest.size
    precondition(EVP_DigestInit_ex(context, digest.algorithm, nil) == 1)
  }

  deinit {
    EVP_MD_CTX_free(context)
  }

  public mutating func update(_ piece: UnsafeRawBufferPointer) {
    precondition(EVP_DigestUpdate(context, piece.baseAddress, piece.count) == 1)
  }

  /// Returns the hash of all pieces. Call it last.
  public mutating func finish() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: size) { output, count in
      var length: UInt32 = 0
      precondition(EVP_DigestFinal_ex(context, output.baseAddress, &length) == 1)
      count = Int(length)
    }
  }
}
