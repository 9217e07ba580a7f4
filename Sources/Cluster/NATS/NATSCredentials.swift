/// How a client proves to a NATS server who it is.
public enum NATSCredentials: Sendable {
  case none
  case password(user: String, password: String)
  case token(String)
  /// The server knows the public key.
  case key(NKey)
  /// The server knows who has signed the user's token.
  case userToken(String, NKey)

  /// Reads a file of `nsc`: a user's token and a seed, each between two lines. Nil: it is none.
  public init?(file text: String) {
    let lines = text.split(whereSeparator: \.isNewline).map { line in
      line.drop { $0 == " " || $0 == "\t" }
    }
    func content(_ title: String) -> Substring? {
      guard let start = lines.firstIndex(where: { $0.contains("BEGIN \(title)") }), start + 1 < lines.count
      else { return nil }
      return lines[start + 1]
    }
    guard let token = content("NATS USER JWT"), let seed = content("USER NKEY SEED"),
      let key = NKey(seed: seed.trimmingSpace)
    else { return nil }
    self = .userToken(String(token.trimmingSpace), key)
  }
}

extension Substring {
  fileprivate var trimmingSpace: Substring {
    var text = self
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
