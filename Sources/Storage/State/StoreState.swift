/// The store as of its last commit: immutable, published by the writer after each commit.
struct StoreState {
  var catalog: Catalog
  /// The version of the last commit.
  var version: Int64
  /// For each class of the catalog, the version of the last commit that changed an object of it.
  var changes: [Int64]
  /// The version that some reader has seen in the file, before or after it was published: nobody may be shown an earlier one after that.
  var seen: Int64 = 0
  /// Why the last write failed, where the file or the disk is at fault.
  var failure: StorageError?
}

extension StoreState {
  /// Goes on to a commit: versions never go back, and each class has the version of its last change. Where the catalog is another one,
  /// every class counts as changed.
  mutating func advance(to version: Int64, _ catalog: Catalog, failure: StorageError?) {
    precondition(version >= self.version, "versions never go back")
    if catalog !== self.catalog { changes = Array(repeating: version, count: catalog.tables.count) }
    precondition(changes.count == catalog.tables.count, "each class has the version of its last change")
    self.catalog = catalog
    self.version = version
    self.failure = failure
  }

  /// For each class, the version of the last commit that may have changed an object of it, in a file that has come to `version`: what
  /// is not published may have changed any.
  func changes(through version: Int64) -> [Int64] {
    version > self.version ? changes.map { _ in version } : changes
  }
}
