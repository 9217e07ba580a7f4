internal import CGatehouseOpenSSL

/// TLS with one server, between two stretches of memory: it never touches the socket.
///
/// `@unchecked Sendable`. Because the socket that it belongs to uses it by one thread at a time.
final class TLSClientSession: @unchecked Sendable {
  private let session: OpaquePointer
  /// The bytes that came from the server, and those that are to go to it; the session owns both.
  private let received: OpaquePointer
  private let outgoing: OpaquePointer

  enum Progress {
    case done
    /// More must come.
    case needsBytes
    /// The session is of no more use.
    case failed
  }

  /// Takes over the session.
  init?(_ session: OpaquePointer) {
    guard let received = BIO_new(BIO_s_mem()), let outgoing = BIO_new(BIO_s_mem()) else { return nil }
    openssl_set_memory_end(received)
    openssl_set_memory_end(outgoing)
    SSL_set_bio(session, received, outgoing)
    SSL_set_connect_state(session)
    (self.session, self.received, self.outgoing) = (session, received, outgoing)
  }

  deinit {
    SSL_free(session)
  }

  /// Goes on with the handshake.
  func shakeHands() -> Progress {
    ERR_clear_error()
    return progress(SSL_do_handshake(session))
  }

  /// Takes what has come from the server.
  func receive(_ bytes: UnsafeRawBufferPointer) {
    BIO_write(received, bytes.baseAddress, Int32(bytes.count))
  }

  /// Decrypts to the end of `bytes`, as much as there is.
  func read(into bytes: inout [UInt8]) -> Progress {
    ERR_clear_error()
    var piece = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = SSL_read(session, &piece, Int32(piece.count))
      guard count > 0 else { return progress(count) }
      bytes += piece[..<Int(count)]
    }
  }

  /// Encrypts; false when the session does not allow it.
  func write(_ bytes: [UInt8]) -> Bool {
    ERR_clear_error()
    // Memory takes everything, so a write is whole or fails.
    return bytes.isEmpty || SSL_write(session, bytes, Int32(bytes.count)) > 0
  }

  /// Takes the bytes that are to go to the server.
  func takeOutgoing() -> [UInt8] {
    let waiting = BIO_ctrl_pending(outgoing)
    return [UInt8](unsafeUninitializedCapacity: waiting) { room, count in
      count = waiting == 0 ? 0 : max(0, Int(BIO_read(outgoing, room.baseAddress, Int32(waiting))))
    }
  }

  private func progress(_ code: Int32) -> Progress {
    if code > 0 { return .done }
    switch SSL_get_error(session, code) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .needsBytes
    default: return .failed
    }
  }
}
