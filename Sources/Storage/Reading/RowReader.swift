import BSON
import Model
import Query
import SQLite

/// Writes objects of one class from rows of its table: for one projection, on one connection.
///
/// A reader is a tree: every property that lives in another table has its own statement below, made when it
/// is first needed. So a class may contain itself: each level of the data has a level of readers.
final class RowReader {
  /// One property of the answer.
  private struct Field {
    let key: PreparedKey
    /// The column of the row, for values that are there.
    let column: Int32
    let content: Content
  }

  private enum Content {
    case value(ElementType)
    case object(ObjectReader)
    case elements(ElementsReader)
    case entries(EntriesReader)
  }

  /// The columns that a row must have, as SQL text, with the class' table as `t`.
  let columns: String
  let columnCount: Int32
  private let session: ReadSession
  private let fields: [Field]
  /// Whether the value of the one field stands in place of the object.
  private let isValue: Bool

  init(_ projection: Projection, of table: TableLayout, in session: ReadSession) throws(StorageError) {
    self.session = session
    isValue = projection.isValue
    var columns = ["t._key", table.objectType.isEmbedded ? "0" : "t._version"]
    var fields: [Field] = []
    if projection.showsKey && table.objectType.hasObjectKey {
      fields.append(Field(key: PreparedKey(ObjectType.keyName), column: 0, content: .value(.int)))
    }
    for item in projection.fields {
      let layout = table.properties[item.property]
      let source = try ElementSource(layout, target: item.target, in: session)
      let content: Content
      switch layout.property.type {
      case .one:
        columns.append(source.expression(for: "t.\(layout.column)"))
        content = source.object.map { .object($0) } ?? .value(source.type)
      case .list, .set, .linkingObjects:
        content = .elements(try ElementsReader(layout, elements: source, in: session))
      case .map:
        content = .entries(EntriesReader(layout, elements: source, in: session))
      }
      fields.append(
        Field(
          key: PreparedKey(item.name ?? session.name(of: layout.property)), column: Int32(columns.count - 1),
          content: content))
    }
    self.columns = columns.joined(separator: ", ")
    columnCount = Int32(columns.count)
    self.fields = fields
  }

  /// Appends the object of the row that `row` stands on.
  func write(
    _ row: Statement, as representation: Representation, into bytes: inout [UInt8]
  ) throws(StorageError) {
    switch representation {
    case .json:
      var writer = PlainJSONWriter(appendingTo: bytes)
      bytes = []
      try write(row, to: &writer)
      bytes = writer.finish()
    case .extendedJSON:
      var writer = ExtendedJSONWriter(appendingTo: bytes)
      bytes = []
      try write(row, to: &writer)
      bytes = writer.finish()
    case .bson:
      var writer = BSONWriter(appendingTo: bytes)
      bytes = []
      try write(row, to: &writer)
      do { bytes = try writer.finish() } catch { throw .tooLarge }
    }
  }

  /// Writes the object of the row that `row` stands on.
  func write<Writer: ValueWriter>(_ row: Statement, to writer: inout Writer) throws(StorageError) {
    if isValue, let field = fields.first {
      return try write(field.content, column: field.column, row, to: &writer)
    }
    writer.beginDocument()
    // A buffer lends its elements: an array would count a reference for each part of each field of each row.
    try fields.withUnsafeBufferPointer { fields throws(StorageError) in
      for index in fields.indices {
        writer.key(fields[index].key)
        try write(fields[index].content, column: fields[index].column, row, to: &writer)
      }
    }
    writer.endDocument()
  }

  private func write<Writer: ValueWriter>(
    _ content: Content, column: Int32, _ row: Statement, to writer: inout Writer
  ) throws(StorageError) {
    switch content {
    case .value(let type): try row.write(type, at: column, to: &writer, in: session)
    case .object(let reader):
      if row.isNull(at: column) {
        writer.null()
      } else {
        try reader.write(row.int64(at: column), to: &writer)
      }
    case .elements(let reader): try reader.write(owner: row.int64(at: 0), to: &writer)
    case .entries(let reader): try reader.write(owner: row.int64(at: 0), to: &writer)
    }
  }
}
