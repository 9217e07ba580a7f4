internal import GatehouseHTTP

/// The memory that all TLS connections of a loop use, one after the other, made when the first of them comes.
final class TLSBuffers {
  /// The bytes that they decrypt.
  let plain = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)
  /// The bytes that they encrypt.
  var encrypted = OutputBuffer()

  deinit {
    plain.deallocate()
  }
}
