import GatehouseStorage

/// The preferences of a Prefer field (RFC 7240). Those that are not known are left aside, as §2 says.
struct Preferences: Hashable, Sendable {
  /// `return=minimal`: no content in the answer to a write.
  var returnsMinimal = false
  /// `count=exact`: the number of all objects that match.
  var countsExactly = false
  /// `durability=full`, `durability=within-100ms`: when a write is on the disk; nil: as the setting says.
  var durability: Durability?

  init(_ value: String?) {
    guard let value else { return }
    var seen: Set<Substring> = []
    for preference in value.lowercased().split(separator: ",") {
      let token = preference.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)[0]
      let halves = token.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = halves[0].trimmed
      // RFC 7240 §2: of several with the same name, the first counts.
      guard halves.count == 2, seen.insert(name).inserted else { continue }
      apply(name, halves[1].trimmed)
    }
  }

  private mutating func apply(_ name: Substring, _ value: Substring) {
    switch (name, value) {
    case ("return", "minimal"), ("return", "\"minimal\""): returnsMinimal = true
    case ("count", "exact"), ("count", "\"exact\""): countsExactly = true
    case ("durability", _): durability = Durability(value.unquoted)
    default: break
    }
  }
}

extension Substring {
  /// The text between quotes, where there are any (RFC 9110 §5.6.4).
  fileprivate var unquoted: Substring {
    count > 1 && hasPrefix("\"") && hasSuffix("\"") ? dropFirst().dropLast() : self
  }
}
