/// The preferences of a Prefer field (RFC 7240). Those that are not known are left aside, as §2 says.
struct Preferences: Hashable, Sendable {
  /// `return=minimal`: no content in the answer to a write.
  var returnsMinimal = false
  /// `count=exact`: the number of all objects that match.
  var countsExactly = false

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
    default: break
    }
  }
}
