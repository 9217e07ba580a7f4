public import GatehouseBSON
public import GatehouseModel
public import GatehouseQuery

/// Writes objects as CSV (RFC 4180): a record of names, then one for each object, in the order of the properties.
///
/// Reading it gives the same objects: a cell with nothing in it is null, quotes with nothing between are the
/// empty text; lists, sets, maps and mixed values are JSON. The properties of an embedded object have columns of their own where a
/// cell of them is never empty, since otherwise an object of nulls would be none; else it is JSON.
public struct TableWriter: ~Copyable {
  /// A property in the answer, and what its cells are made of.
  private struct Column: Sendable {
    enum Content: Sendable {
      case value
      /// JSON, also where the value is a text or a number.
      case json
      case object([Column])
      /// The fields of a document, but those that have columns: JSON.
      case fields(besides: [String])
    }

    let name: String
    let content: Content

    /// The number of columns of the table.
    var count: Int {
      switch content {
      case .value, .json, .fields: 1
      case .object(let parts): parts.reduce(0) { $0 + $1.count }
      }
    }
  }

  /// The most columns that one embedded object has, since these multiply where such objects have others.
  private static let mostColumnsOfObject = 100

  private let columns: [Column]
  private var reader = JSONReader(as: .plain)

  public init(_ projection: Projection, in schema: Schema) {
    columns = TableWriter.columns(of: projection, in: schema)
  }

  /// Appends the names of the columns.
  public func appendHeader(to bytes: inout [UInt8]) {
    var names: [String] = []
    TableWriter.collect(columns, behind: "", into: &names)
    for (index, name) in names.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes.appendCSV(field: name)
    }
    bytes.endCSVRecord()
  }

  /// Appends a record for each line, which is an object in plain JSON.
  public mutating func append(lines: [UInt8], to bytes: inout [UInt8]) throws(JSONError) {
    for line in lines.split(separator: UInt8(ascii: "\n")) {
      let value = try unsafe line.withUnsafeBufferPointer { (text) throws(JSONError) in
        try unsafe reader.read(text)
      }
      guard case .document(let object) = value else { continue }
      TableWriter.append(columns, of: object, to: &bytes)
      bytes.endCSVRecord()
    }
  }

  private static func append(
    _ columns: [Column], of object: Document?, to bytes: inout [UInt8]
  ) {
    for (index, column) in columns.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      let value = object.flatMap { $0.value(of: column.name, near: index) } ?? .null
      switch column.content {
      case .value: bytes.appendCSV(field: value.cell)
      case .json: bytes.appendCSV(field: value == .null ? nil : value.jsonText)
      case .fields(let named):
        let rest = object?.elements.filter { !named.contains($0.key) } ?? []
        bytes.appendCSV(field: rest.isEmpty ? nil : Value.document(Document(rest)).jsonText)
      case .object(let parts):
        var part: Document?
        if case .document(let document) = value { part = document }
        append(parts, of: part, to: &bytes)
      }
    }
  }

  private static func collect(_ columns: [Column], behind prefix: String, into names: inout [String]) {
    for column in columns {
      switch column.content {
      case .value, .json, .fields: names.append(prefix + column.name)
      case .object(let parts): collect(parts, behind: prefix + column.name + ".", into: &names)
      }
    }
  }
}

extension TableWriter {
  private static func columns(of projection: Projection, in schema: Schema) -> [Column] {
    guard let type = schema[projection.objectType] else { return [] }
    let key =
      type.hasObjectKey && projection.showsKey ? [Column(name: ObjectType.keyName, content: .value)] : []
    return key
      + projection.fields.map { field in
        let property = type.properties[field.property]
        let name = field.name ?? property.name
        if field.key != nil { return Column(name: name, content: .json) }
        if field.property == type.fieldsIndex {
          let others = projection.fields.filter { $0.property != type.fieldsIndex || $0.key != nil }
          return Column(
            name: name,
            content: .fields(besides: others.map { $0.name ?? type.properties[$0.property].name }))
        }
        guard let target = field.target else {
          return Column(name: name, content: content(of: property, in: schema, inside: []))
        }
        // A choice of an embedded object's properties is one of columns; objects in place of links are JSON.
        guard !target.isValue, case .one(.object(let embedded), _) = property.type,
          schema[embedded]?.isEmbedded == true
        else { return Column(name: name, content: target.isValue ? .value : .json) }
        return Column(name: name, content: .object(columns(of: target, in: schema)))
      }
  }

  private static func content(
    of property: Property, in schema: Schema, inside outer: [String]
  ) -> Column.Content {
    switch property.type {
    case .one(.mixed, _), .list, .set, .map, .linkingObjects: return .json
    case .one(.object(let name), _):
      guard let target = schema[name], target.isEmbedded else { return .value }
      // Objects of a class that may hold itself have no end.
      guard !outer.contains(name), target.hasFilledCell else { return .json }
      let parts = target.storedProperties.map { index in
        let property = target.properties[index]
        return Column(
          name: property.name, content: content(of: property, in: schema, inside: outer + [name]))
      }
      return parts.reduce(0, { $0 + $1.count }) > mostColumnsOfObject ? .json : .object(parts)
    case .one: return .value
    }
  }
}

extension ObjectType {
  /// Whether a cell of each object has something in it: a value that cannot be null, or a collection.
  fileprivate var hasFilledCell: Bool {
    storedProperties.contains { index in
      switch properties[index].type {
      case .one(.object, _), .one(.mixed, _), .linkingObjects: false
      case .one(_, let optional): !optional
      case .list, .set, .map: true
      }
    }
  }
}

extension Document {
  /// Returns the value of a member, looking first where answers have it.
  fileprivate func value(of name: String, near index: Int) -> Value? {
    if index < elements.count, elements[index].key == name { return elements[index].value }
    return self[name]
  }
}

extension Value {
  /// The text of a cell; nil: it is empty.
  fileprivate var cell: String? {
    switch self {
    case .null: nil
    case .string(let text): text
    case .document(let document):
      // A number that JSON has none for.
      if case .string(let number)? = document["$numberDouble"] { number } else { jsonText }
    default: jsonText
    }
  }

  fileprivate var jsonText: String { String(decoding: plainJSON, as: UTF8.self) }
}
