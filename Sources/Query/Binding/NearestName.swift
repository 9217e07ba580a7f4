extension String {
  /// The name that takes the fewest edits to reach, if they are few.
  func nearest(of names: [String]) -> String? {
    let limit = Swift.max(1, (unicodeScalars.count + 1) / 3)
    let candidates = names.prefix(500).map { ($0, distance(to: $0)) }
    guard let best = candidates.min(by: { $0.1 < $1.1 }), best.1 <= limit else { return nil }
    return best.0
  }

  /// How many scalars must be changed, added or removed (Levenshtein), case aside.
  private func distance(to other: String) -> Int {
    let left = Array(lowercased().unicodeScalars.prefix(64))
    let right = Array(other.lowercased().unicodeScalars.prefix(64))
    var row = Array(0...right.count)
    for (i, scalar) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, candidate) in right.enumerated() {
        let substitution = diagonal + (scalar == candidate ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = Swift.min(substitution, row[j] + 1, diagonal + 1)
      }
    }
    return row[right.count]
  }
}
