/// The store as of its last commit: immutable, published by the writer after each commit.
struct StoreState {
  var catalog: Catalog
  /// The version of the last commit.
  var version: Int64
  /// For each class of the catalog, the version of the last commit that changed an object of it.
  var changes: [Int64]
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
}
