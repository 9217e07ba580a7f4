import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseSQLite

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
    /// Where in the class' properties it is, if its value leads to other objects.
    let link: Int?
    /// How the column is read, if it is the value.
    let form: ColumnForm?

    init(key: PreparedKey, column: Int32, content: Content, link: Int?) {
      self.key = key
      self.column = column
      self.content = content
      self.link = link
      form = if case .value(let type) = content { ColumnForm(type) } else { nil }
    }
  }

  private enum Content {
    case value(ElementType)
    case object(ObjectReader)
    case elements(ElementsReader)
    case entries(EntriesReader)
    /// The fields of a document, which clients see as members of the object.
    case fields(EntriesReader)
    /// A single one of these, which an object need not have.
    case field(ElementReader, ExactText)
  }

  /// The columns that a row must have, as SQL text, with the class' table as `t`.
  let columns: String
  /// The columns for a page, in which no object's version is asked for.
  let pageColumns: String
  let columnCount: Int32
  private let session: ReadSession
  private let fields: [Field]
  /// Whether the value of the one field stands in place of the object.
  private let isValue: Bool
  /// The class' place in the catalog; nil: its objects are embedded.
  private let table: Int?

  /// `restricted` are the classes of which not all objects may be seen.
  init(
    _ projection: Projection, of table: TableLayout, in session: ReadSession, restricted: Set<String> = []
  ) throws(StorageError) {
    self.session = session
    isValue = projection.isValue
    self.table = table.objectType.isEmbedded ? nil : try session.catalog.index(of: table.objectType.name)
    var columns = ["t._key", table.objectType.isEmbedded ? "0" : table.version(of: "t")]
    var fields: [Field] = []
    if projection.showsKey && table.objectType.hasObjectKey {
      fields.append(Field(key: PreparedKey(ObjectType.keyName), column: 0, content: .value(.int), link: nil))
    }
    for item in projection.fields {
      let layout = table.properties[item.property]
      let source = try ElementColumn(
        layout, target: item.target, in: session, restricted: restricted)
      let content: Content
      switch layout.property.type {
      case .map where item.key != nil:
        let reader = try ElementReader(layout, by: .key, in: session, restricted: restricted)
        content = .field(reader, item.key ?? ExactText(""))
      case .one:
        columns.append(source.expression(for: "t.\(layout.column)"))
        content = source.object.map { .object($0) } ?? .value(source.type)
      case .list, .set, .linkingObjects:
        content = .elements(try ElementsReader(layout, elements: source, in: session))
      case .map:
        let reader = EntriesReader(layout, elements: source, in: session, without: item.hiddenFields)
        let isPart = item.property == table.objectType.fieldsIndex && session.naming == .client
        content = isPart && item.name == nil ? .fields(reader) : .entries(reader)
      }
      fields.append(
        Field(
          key: PreparedKey(item.name ?? session.name(of: layout.property)), column: Int32(columns.count - 1),
          content: content, link: item.target != nil && layout.element != nil ? item.property : nil))
    }
    self.columns = columns.joined(separator: ", ")
    columns[1] = "0"
    pageColumns = columns.joined(separator: ", ")
    columnCount = Int32(columns.count)
    precondition(
      fields.allSatisfy { $0.column < columns.count }, "each value is one of the columns that a row has")
    precondition(!isValue || fields.count == 1, "what stands in place of an object is one value")
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
      writer.replacesZeroBytes = true
      bytes = []
      try write(row, to: &writer)
      do { bytes = try writer.finish() } catch { throw .tooLarge }
    }
  }

  /// Writes the object of the row that `row` stands on.
  func write<Writer: ValueWriter>(_ row: Statement, to writer: inout Writer) throws(StorageError) {
    if let observer = session.observer { return try write(row, to: &writer, observer) }
    if isValue, let field = fields.first {
      return try write(field.content, column: field.column, row, to: &writer)
    }
    writer.beginDocument()
    // A buffer lends its elements: an array would count a reference for each part of each field of each row.
    try fields.withUnsafeBufferPointer { fields throws(StorageError) in
      for index in fields.indices {
        if let form = fields[index].form {
          writer.key(fields[index].key)
          try row.write(form, at: fields[index].column, to: &writer, in: session)
        } else {
          try writeMember(fields[index], row, to: &writer)
        }
      }
    }
    writer.endDocument()
  }

  /// Writes the object, and tells the tracker of it and of the property by which others were found.
  private func write<Writer: ValueWriter>(
    _ row: Statement, to writer: inout Writer, _ observer: ReadTracker
  ) throws(StorageError) {
    let way = observer.path
    defer { observer.path = way }
    if let table { observer.visit(table, row.int64(at: 0)) }
    if !isValue { writer.beginDocument() }
    for field in fields.prefix(isValue ? 1 : fields.count) {
      observer.path = nil
      if let table, let link = field.link {
        observer.path = .init(owner: .init(table: table, key: row.int64(at: 0)), property: link)
      }
      if isValue {
        try write(field.content, column: field.column, row, to: &writer)
      } else {
        try writeMember(field, row, to: &writer)
      }
    }
    if !isValue { writer.endDocument() }
  }

  /// Writes a value behind its name, or what stands for several members.
  private func writeMember<Writer: ValueWriter>(
    _ field: Field, _ row: Statement, to writer: inout Writer
  ) throws(StorageError) {
    switch field.content {
    case .fields(let reader): try reader.writeMembers(owner: row.int64(at: 0), to: &writer)
    case .field(let reader, let key):
      _ = try reader.write(owner: row.int64(at: 0), named: field.key, to: &writer) {
        $0.bind(key.text, at: 2)
      }
    case .value, .object, .elements, .entries:
      writer.key(field.key)
      try write(field.content, column: field.column, row, to: &writer)
    }
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
    case .fields(let reader): try reader.write(owner: row.int64(at: 0), to: &writer)
    case .field(let reader, let key):
      let isThere = try reader.write(owner: row.int64(at: 0), to: &writer) { $0.bind(key.text, at: 2) }
      if !isThere { writer.null() }
    }
  }
}
