internal import CGatehouseOpenSSL
internal import Glibc

/// The rules by which sessions with servers are made: TLS 1.2 or later, certificates are verified.
///
/// @unchecked Sendable: Because OpenSSL counts references to contexts atomically, and this one is not changed once it is made.
final class TLSClientContext: @unchecked Sendable {
  private let context: OpaquePointer

  /// - Parameter authorities: A file in PEM of the authorities that are trusted; nil: those of the system. Nil is returned where it
  ///   cannot be read.
  init?(authorities: String?) {
    defer { ERR_clear_error() }
    guard let context = SSL_CTX_new(TLS_client_method()) else { return nil }
    self.context = context
    _ = openssl_set_minimum_version(context, TLS1_2_VERSION)
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
    let isReady =
      if let authorities {
        SSL_CTX_load_verify_locations(context, authorities, nil) == 1
      } else {
        SSL_CTX_set_default_verify_paths(context) == 1
      }
    guard isReady else { return nil }
  }

  deinit {
    SSL_CTX_free(context)
  }

  /// Begins a session with the server of that name or address, whose certificate has to name it.
  func makeSession(with host: String) -> TLSClientSession? {
    guard let session = SSL_new(context) else { return nil }
    var address = in6_addr()
    let isAddress = inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1
    let isNamed =
      isAddress
      ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host) == 1
      : SSL_set1_host(session, host) == 1 && openssl_name_server(session, host) == 1
    guard isNamed else {
      SSL_free(session)
      return nil
    }
    return TLSClientSession(session)
  }
}
