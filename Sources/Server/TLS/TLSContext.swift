internal import CGatehouseOpenSSL
internal import Glibc
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
    for file in [certificate.chainFile, certificate.keyFile] where access(file, R_OK) != 0 {
      throw ServerError.unreadableCertificate(file: file, code: errno)
    }
    // The errors that OpenSSL keeps of a failure must not be taken for that of a connection.
    defer { ERR_clear_error() }
    guard SSL_CTX_use_certificate_chain_file(context, certificate.chainFile) == 1 else {
      throw ServerError.malformedCertificate(file: certificate.chainFile)
    }
    openssl_ask_no_password(context)
    guard SSL_CTX_use_PrivateKey_file(context, certificate.keyFile, SSL_FILETYPE_PEM) == 1 else {
      // OpenSSL compares the two when it takes the key.
      throw openssl_found_mismatch() == 1
        ? ServerError.foreignKey(file: certificate.keyFile)
        : ServerError.malformedKey(file: certificate.keyFile)
    }
    // A key of another kind has its own place beside the certificate's.
    guard SSL_CTX_check_private_key(context) == 1 else {
      throw ServerError.foreignKey(file: certificate.keyFile)
    }
    configure()
  }

  deinit {
    SSL_CTX_free(context)
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
