import GatehouseLive
import GatehouseModel
import GatehouseStorage

extension RealmContext {
  /// Whether an object is a part of another one, which is no event of its own.
  func isEmbedded(_ row: RowAddress) -> Bool { live.schema.objectTypes[row.table].isEmbedded }

  /// Whether a class says itself what is recorded of its objects.
  func isRepresentable(_ objectType: String) -> Bool {
    hasRepresentableClass && managedClass(objectType)?.type is any CustomEventRepresentable.Type
  }

  /// Returns the last commit that the Realm sees, of which no reads are recorded.
  func unrecorded() -> RealmContext { RealmContext(file, live.frozen(), configuration, schema) }

  /// Commits the transaction, takes down what it has changed, and returns the version of the commit.
  func commitWrite() throws(StorageError) -> Int64 {
    guard let audit, audit.isRecording, live.hasWritten else { return try live.commitWrite() }
    let before = hasRepresentableClass ? unrecorded() : self
    let changes: [GatehouseStorage.ObjectChange]
    do throws(StorageError) { changes = try live.observedChanges() } catch {
      live.cancelWrite()
      throw error
    }
    let committed = try live.commitWrite()
    audit.note(changes, before: before, after: self)
    return committed
  }

  /// Takes down that the objects of a query are seen.
  @inline(__always)
  func noteRead(of results: LiveResults) {
    if let audit, audit.isRecording { audit.note(results, in: self) }
  }

  /// Takes down that an object is seen, and the link that led to it.
  @inline(__always)
  func noteRead(_ row: RowAddress, by link: PropertyPlace? = nil) {
    if let audit, audit.isRecording { audit.note(row, by: link, in: self) }
  }

  /// Takes down that an element of a collection is seen: those of queries all at once.
  func noteRead(_ element: Mixed, of place: CollectionPlace?) {
    guard let audit, audit.isRecording, let place, let row = live.row(of: element) else { return }
    let isLink = place.property.type == .object && place.mixed == nil
    audit.note(row, by: isLink ? PropertyPlace(row: place.row, property: place.column) : nil, in: self)
  }
}

extension ObjectAccessor {
  /// Takes down that the object is seen that a property links to.
  func noteLink(_ value: Mixed, _ key: PropertyKey) {
    guard let row = context.live.row(of: value) else { return }
    let isLink = property(key).type == .object
    context.noteRead(
      row, by: isLink ? PropertyPlace(row: self.row, property: managed.columns[Int(key)]) : nil)
  }
}
