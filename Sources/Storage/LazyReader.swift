/// A reader that is opened when it is first needed, as a connection takes memory, and has to read the schema.
public struct LazyReader {
  private let store: Store
  private var opened: Reader?

  public init(_ store: Store) {
    self.store = store
  }

  /// Returns the reader. Throws where the file cannot be opened; the next call tries again.
  public mutating func get() throws(StorageError) -> Reader {
    if let opened { return opened }
    let reader = try store.makeReader()
    opened = reader
    return reader
  }
}
