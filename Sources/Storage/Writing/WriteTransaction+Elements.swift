import BSON
import Model
import Query
import SQLite

// Changes of single elements: they are logged as such, not as changes of the whole collection.
extension WriteTransaction {
  /// What an element reader depends on.
  struct ElementShape: Hashable {
    let table: Int
    let property: Int
    let selector: ElementReader.Selector
  }

  /// Changes one entry of a map by `body`, with what it holds.
  ///
  /// An embedded object's map is a part of the object that it belongs to, and remembered with that.
  func changeEntry(
    _ key: String, of property: Int, of subject: RowAddress,
    _ body: () throws(StorageError) -> Void
  ) throws(StorageError) {
    guard try isLogged(property, of: subject) else {
      try removeEmbedded(at: key, of: property, subject)
      return try body()
    }
    let before = try entry(key, of: property, subject)
    try removeEmbedded(at: key, of: property, subject)
    try body()
    let change = ElementChange(.key(key), before: before, after: try entry(key, of: property, subject))
    recorder.didChange(change, of: property, of: subject, id: try identifier(of: subject))
  }

  /// Whether a change of single elements of the property is to be told. False for embedded objects.
  func isLogged(_ property: Int, of subject: RowAddress) throws(StorageError) -> Bool {
    guard !catalog.tables[subject.table].objectType.isEmbedded else { return false }
    try noteEmbedded(property, of: subject)
    return recorder.needsElements(of: property, for: subject)
  }

  /// What clients identify the object by.
  func identifier(of subject: RowAddress) throws(StorageError) -> Mixed {
    if let entry = recorder.entry(for: subject) { return entry.id }
    let objectType = catalog.tables[subject.table].objectType.name
    return try reading.identifier(of: ObjectLink(objectType: objectType, key: ObjectKey(subject.key)))
  }

  /// The image of one entry of a map; nil where the key is not there.
  func entry(
    _ key: String, of property: Int, _ subject: RowAddress
  ) throws(StorageError) -> Mixed? {
    try element(ElementShape(table: subject.table, property: property, selector: .key), subject.key) {
      $0.bind(key, at: 2)
    }
  }

  func element(
    _ shape: ElementShape, _ owner: Int64, _ bind: (Statement) -> Void
  ) throws(StorageError) -> Mixed? {
    var writer = ImageWriter()
    guard try elementReader(shape).write(owner: owner, to: &writer, bind: bind) else { return nil }
    guard let image = writer.bytes.withUnsafeBufferPointer(MixedCoding.decode) else {
      throw .corrupt("image")
    }
    return image
  }

  private func elementReader(_ shape: ElementShape) throws(StorageError) -> ElementReader {
    if let reader = elementReaders[shape] { return reader }
    let layout = catalog.tables[shape.table].properties[shape.property]
    let reader = try ElementReader(layout, by: shape.selector, in: imaging)
    elementReaders[shape] = reader
    return reader
  }
}
