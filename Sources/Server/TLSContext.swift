internal import COpenSSL
internal import Synchronization

/// A certificate with its key, and the rules by which sessions are made from them.
///
/// @unchecked Sendable: Because OpenSSL counts references to contexts atomically, and this one is not changed
/// once it is made.
final class TLSContext: @unchecked Sendable {
  private let context: OpaquePointer

  init(_ certificate: Certificate) throws(ServerError) {
    guard let context = SSL_CTX_new(TLS_server_method()) else { throw ServerError.outOfMemory }
    self.context = context
    guard SSL_CTX_use_certificate_chain_file(context, certificate.chainFile) == 1 else {
      throw Self.failure(certificate.chainFile)
    }
    guard SSL_CTX_use_PrivateKey_file(context, certificate.keyFile, SSL_FILETYPE_PEM) == 1,
      SSL_CTX_check_private_key(context) == 1
    else { throw Self.failure(certificate.keyFile) }
    configure()
  }

  deinit {
    SSL_CTX_free(context)
  }

  private static func failure(_ file: String) -> ServerError {
    ERR_clear_error()
    return .unusableCertificate(file: file)
  }

  private func configure() {
    _ = openssl_set_minimum_version(context, TLS1_2_VERSION)
    // RFC 9325 §4.2: forward secrecy and authenticated encryption only; TLS 1.3 has nothing else.
    SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20")
    openssl_set_server_options(context)
    openssl_set_mode(context, Int(SSL_MODE_RELEASE_BUFFERS))
    openssl_speak_http11(context)
  }

  /// A session for a connection that has just been accepted.
  func makeSession() -> TLSSession? {
    guard let session = SSL_new(context) else { return nil }
    return TLSSession(session)
  }
}

/// The context of new sessions, which may be replaced while the server runs.
final class TLSContextHolder: Sendable {
  private let current: Mutex<TLSContext>

  init(_ context: TLSContext) {
    current = Mutex(context)
  }

  var context: TLSContext {
    get { current.withLock(\.self) }
    set { current.withLock { $0 = newValue } }
  }
}
