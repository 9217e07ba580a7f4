internal import CGatehouseOpenSSL
internal import GatehouseHTTP

/// TLS on one connection, between two stretches of memory: it never touches the socket.
final class TLSSession {
  private let session: OpaquePointer
  /// The bytes that came from the client, and those that are to go to it; the session owns both.
  private let received: OpaquePointer
  private let outgoing: OpaquePointer

  enum Reading: Equatable {
    /// That number of bytes has been decrypted.
    case bytes(Int)
    /// More must come.
    case needsBytes
    /// The client has said that it will send no more.
    case end
    /// The session is of no more use; an alert may be waiting to be sent.
    case failure
  }

  /// Takes over the session; nil: there is no memory for it.
  init?(_ session: OpaquePointer) {
    guard let received = BIO_new(BIO_s_mem()), let outgoing = BIO_new(BIO_s_mem()) else {
      SSL_free(session)
      return nil
    }
    openssl_set_memory_end(received)
    openssl_set_memory_end(outgoing)
    SSL_set_bio(session, received, outgoing)
    SSL_set_accept_state(session)
    self.session = session
    self.received = received
    self.outgoing = outgoing
  }

  deinit {
    SSL_free(session)
  }

  /// Whether requests may come.
  var isEstablished: Bool { SSL_is_init_finished(session) == 1 }

  /// Takes what has come from the client.
  func receive(_ bytes: UnsafeRawBufferPointer) {
    BIO_write(received, bytes.baseAddress, Int32(bytes.count))
  }

  /// Decrypts into `buffer`, and goes on with the handshake where there is one.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Reading {
    ERR_clear_error()
    let count = SSL_read(session, buffer.baseAddress, Int32(buffer.count))
    precondition(count <= buffer.count, "no more is decrypted than there is room for")
    if count > 0 { return .bytes(Int(count)) }
    switch SSL_get_error(session, count) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .needsBytes
    case SSL_ERROR_ZERO_RETURN: return .end
    default: return .failure
    }
  }

  /// Encrypts; false when the session does not allow it.
  func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    ERR_clear_error()
    // Memory takes everything, so a write is whole or fails.
    return bytes.isEmpty || SSL_write(session, bytes.baseAddress, Int32(bytes.count)) > 0
  }

  /// Says that nothing more will be sent.
  func finish() {
    ERR_clear_error()
    if isEstablished { SSL_shutdown(session) }
  }

  /// Moves what is to go to the client to the end of `output`.
  func drain(into output: inout OutputBuffer) {
    let waiting = BIO_ctrl_pending(outgoing)
    if waiting == 0 { return }
    output.append(count: waiting) { room in
      max(0, Int(BIO_read(outgoing, room.baseAddress, Int32(room.count))))
    }
  }
}
