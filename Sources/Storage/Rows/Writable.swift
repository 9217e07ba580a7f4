import GatehouseBSON
import GatehouseModel

/// Something that can be written in any representation.
protocol Writable {
  func write<Writer: ValueWriter>(to writer: inout Writer) throws(StorageError)
}

extension Representation {
  /// Appends `item` to `bytes`.
  func append(_ item: some Writable, to bytes: inout [UInt8]) throws(StorageError) {
    switch self {
    case .json:
      var writer = PlainJSONWriter(appendingTo: bytes)
      bytes = []
      try item.write(to: &writer)
      bytes = writer.finish()
    case .extendedJSON:
      var writer = ExtendedJSONWriter(appendingTo: bytes)
      bytes = []
      try item.write(to: &writer)
      bytes = writer.finish()
    case .bson:
      var writer = BSONWriter(appendingTo: bytes)
      writer.replacesZeroBytes = true
      bytes = []
      try item.write(to: &writer)
      do { bytes = try writer.finish() } catch { throw .tooLarge }
    }
  }
}

extension ReadSession {
  /// Writes a value that a path of that type led to, a link as the primary key of its target.
  func write<Writer: ValueWriter>(
    _ value: Mixed, as type: ElementType, to writer: inout Writer
  ) throws(StorageError) {
    // Only where the schema does not say the type must the text do so.
    if type == .mixed { return writer.value(try self.value(of: value)) }
    switch value {
    case .link(let link):
      try write(identifier(of: link), as: catalog.table(link.objectType).identifierType, to: &writer)
    case .list, .dictionary: writer.value(try self.value(of: value))
    default: writer.scalar(value)
    }
  }
}
