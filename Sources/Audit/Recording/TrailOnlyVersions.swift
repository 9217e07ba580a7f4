/// The latest commits that wrote nothing but the trail. The data is the same before and after them, so that they
/// do not keep reads of it apart.
struct TrailOnlyVersions {
  /// Runs that are remembered; what is older only keeps apart what could be together.
  private static let most = 64

  private var runs: [ClosedRange<Int64>] = []

  /// A commit wrote nothing but the trail.
  mutating func add(_ version: Int64) {
    if let last = runs.last, last.upperBound + 1 == version {
      runs[runs.count - 1] = last.lowerBound...version
      return
    }
    if runs.count == TrailOnlyVersions.most { runs.removeFirst() }
    runs.append(version...version)
  }

  /// The version in which the data of `version` came about, as far as is known.
  func data(of version: Int64) -> Int64 {
    var version = version
    while let run = runs.first(where: { $0.contains(version) }) { version = run.lowerBound - 1 }
    return version
  }
}
