/// The value of the field Authorization.
enum Credential {
  /// RFC 6750 §2.1: `Bearer` and a token; the scheme's case does not matter (RFC 9110 §11.1).
  static func bearerToken(in field: String) -> String? {
    let scheme = "bearer "
    guard field.utf8.count > scheme.utf8.count, field.prefix(scheme.count).lowercased() == scheme else {
      return nil
    }
    return String(field.dropFirst(scheme.count))
  }
}
