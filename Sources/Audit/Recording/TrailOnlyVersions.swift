/// The latest commits that wrote nothing but the trail. The data is the same before and after them, so that reads
/// before and after belong to the same state.
struct TrailOnlyVersions {
  /// The most runs that are remembered; reads that an older one lies between are not taken together.
  private static let most = 64

  private var runs: [ClosedRange<Int64>] = []

  /// Adds a commit that wrote nothing but the trail.
  mutating func add(_ version: Int64) {
    if let last = runs.last, last.upperBound + 1 == version {
      runs[runs.count - 1] = last.lowerBound...version
      return
    }
    if runs.count == TrailOnlyVersions.most { runs.removeFirst() }
    runs.append(version...version)
  }

  /// Returns the version whose commit last changed data as of `version`, as far as is known.
  func data(of version: Int64) -> Int64 {
    var version = version
    while let run = runs.first(where: { $0.contains(version) }) { version = run.lowerBound - 1 }
    return version
  }
}
