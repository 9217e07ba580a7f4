import GatehouseModel

/// Writes the images of new objects from what clients gave for them, without reading the objects.
struct DraftImages {
  /// For each class its writer; nil where only the file can say what becomes of a draft.
  private let writers: [DraftWriter?]

  init(_ catalog: Catalog) {
    let schema = catalog.schema
    writers = catalog.tables.map { DraftWriter($0.objectType, in: schema, naming: .stored) }
  }

  /// Whether the images of new objects of a class can be written.
  func canWrite(_ table: Int) -> Bool { writers[table] != nil }

  /// Returns the image of a new object that the draft is all of; nil where only the file can say.
  func image(of draft: ObjectDraft, _ row: RowAddress) -> [UInt8]? {
    guard let writer = writers[row.table] else { return nil }
    var image = ImageWriter(capacity: 256)
    writer.write(draft, key: row.key, to: &image)
    return image.bytes
  }

  /// Returns the value of the image of a new object that the draft is all of; nil where only the file can say.
  func value(of draft: ObjectDraft, _ table: Int) -> Mixed? { writers[table]?.image(draft) }
}
