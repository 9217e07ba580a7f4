/// The version of a NATS server.
enum ServerVersion {
  /// The first release without the losses that are known: acknowledgements before writes, and entries gone with a peer.
  static let oldest = [2, 15, 1]

  /// Nil: the version will do.
  static func defect(_ text: String) -> LogDefect? {
    // A preview of a release is older than it.
    let (numbers, suffix) = text.firstIndex(of: "-").map { (text[..<$0], text[$0...]) } ?? (text[...], "")
    let version = numbers.split(separator: ".").map { Int($0) ?? -1 }
    let isNew = version.count == 3 && !version.lexicographicallyPrecedes(oldest)
    if isNew, suffix.isEmpty || version != oldest { return nil }
    return .version(found: text, needed: oldest.map(String.init).joined(separator: "."))
  }
}
