/// Why the server could not start.
public enum ServerError: Error, Hashable, Sendable {
  /// A system call failed with that `errno`.
  case system(call: String, code: Int32)
  /// Not an address of the form `127.0.0.1:8080`, `[::1]:8080` or `unix:/path`.
  case malformedAddress(String)
  /// Somebody listens there already.
  case addressInUse(String)
  /// The address is none of this machine's.
  case addressNotAvailable(String)
  /// The port or the path needs rights that the process does not have.
  case addressForbidden(String)
  /// A file of the certificate can't be read, with that `errno`.
  case unreadableCertificate(file: String, code: Int32)
  /// The file holds no certificate chain in PEM.
  case malformedCertificate(file: String)
  /// The file holds no private key in PEM, or one that is encrypted.
  case malformedKey(file: String)
  /// The key is another certificate's.
  case foreignKey(file: String)
  /// There are TLS listeners, but no certificate.
  case missingCertificate
  case outOfMemory
}
