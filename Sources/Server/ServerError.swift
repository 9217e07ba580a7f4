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
  /// The file can't be read, does not hold what it should, or the key is not the certificate's.
  case unusableCertificate(file: String)
  /// There are TLS listeners, but no certificate.
  case missingCertificate
  case outOfMemory
}
