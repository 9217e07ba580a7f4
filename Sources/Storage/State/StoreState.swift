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
