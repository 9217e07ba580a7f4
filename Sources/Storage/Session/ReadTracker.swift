/// Takes down which objects are written to an answer.
final class ReadTracker {
  struct Path: Hashable {
    let owner: RowAddress
    let property: Int
  }

  /// In the order of the answer.
  private(set) var visits: [(subject: RowAddress, path: Path?)] = []
  /// The property whose links are being followed; nil: none.
  var path: Path?

  /// An object is about to be written.
  func visit(_ table: Int, _ key: Int64) {
    visits.append((RowAddress(table: table, key: key), path))
  }

  /// Begins anew.
  func forget() {
    visits = []
    path = nil
  }
}
