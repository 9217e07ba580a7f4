public import GatehouseBSON
public import GatehouseModel

extension Value {
  var document: Document { if case .document(let document) = self { document } else { Document() } }
  var array: [Value] { if case .array(let array) = self { array } else { [] } }
  var string: String { if case .string(let string) = self { string } else { "" } }
  var int: Int64 {
    switch self {
    case .int32(let value): Int64(value)
    case .int64(let value): value
    default: 0
    }
  }
  var double: Double {
    switch self {
    case .int32(let value): Double(value)
    case .int64(let value): Double(value)
    case .double(let value): value
    case .string(let text): Double(text) ?? .nan
    default: 0
    }
  }

  /// The argument of a query that the corpus spells so. A number keeps its type as far as BSON has it.
  func argument(_ schema: Schema, _ objects: [String: [Dataset.Object]]) -> Value {
    guard case .document(let document) = self, let only = document.elements.first else { return self }
    switch only.key {
    case "$args_list": return .array(only.value.array.map { $0.argument(schema, objects) })
    case "$double", "$float": return .double(only.value.double)
    case "$decimal": return Decimal128(only.value.string).map { .decimal128($0) } ?? .null
    case "$oid": return ObjectID(only.value.string).map { .objectID($0) } ?? .null
    case "$uuid": return UUID(only.value.string).map { .uuid($0) } ?? .null
    case "$date": return .date(Date(corpus: only.value.array))
    case "$binary": return .binary(Binary(bytes: Base64.decode(only.value.string) ?? []))
    case "$link":
      let (name, key) = (only.value.array[0].string, only.value.array[1].int)
      return .document(["$ref": .string(name), "$id": Self.primaryKey(name, key, schema, objects)])
    default: return self
    }
  }

  /// Returns the identifier of the object with that key.
  private static func primaryKey(
    _ name: String, _ key: Int64, _ schema: Schema, _ objects: [String: [Dataset.Object]]
  ) -> Value {
    guard let index = schema[name]?.primaryKeyIndex,
      let object = objects[name]?.first(where: { $0.key.value == key })
    else { return .int64(key) }
    return object.values[index].argument(schema, objects)
  }

  /// The value of a property of that type; links as they are.
  public func mixed(_ type: ElementType) -> Mixed {
    if case .null = self { return .null }
    switch type {
    case .bool: return .bool(self == .bool(true))
    case .int: return .int(int)
    case .float: return .float(Float(double))
    case .double: return .double(double)
    case .string: return .string(string)
    case .decimal128, .data, .date, .objectID, .uuid, .mixed, .object: return anyMixed
    }
  }

  private var anyMixed: Mixed {
    switch self {
    case .bool(let value): return .bool(value)
    case .int32, .int64: return .int(int)
    case .double(let value): return .double(value)
    case .string(let text): return .string(text)
    case .objectID(let value): return .objectID(value)
    case .uuid(let value): return .uuid(value)
    case .document(let document):
      guard let only = document.elements.first else { return .dictionary([]) }
      return Self.mixed(only)
    default: return .null
    }
  }

  private static func mixed(_ element: Document.Element) -> Mixed {
    switch element.key {
    case "$float": return .float(Float(element.value.double))
    case "$double": return .double(element.value.double)
    case "$decimal": return Decimal128(element.value.string).map { .decimal128($0) } ?? .null
    case "$oid": return ObjectID(element.value.string).map { .objectID($0) } ?? .null
    case "$uuid": return UUID(element.value.string).map { .uuid($0) } ?? .null
    case "$date": return .date(Date(corpus: element.value.array))
    case "$binary": return .data(Base64.decode(element.value.string) ?? [])
    case "$link":
      let parts = element.value.array
      return .link(ObjectLink(objectType: parts[0].string, key: ObjectKey(parts[1].int)))
    case "$list": return .list(element.value.array.map { $0.anyMixed })
    case "$dict":
      return .dictionary(
        element.value.document.elements.map { Mixed.Entry(key: $0.key, value: $0.value.anyMixed) }
          .sorted { $0.key.compareBytes($1.key) < 0 })
    default: return .null
    }
  }
}

extension Date {
  /// `[seconds, nanoseconds]` of the same sign.
  fileprivate init(corpus parts: [Value]) {
    let nanoseconds = Int32(parts[1].int)
    self.init(
      seconds: parts[0].int - (nanoseconds < 0 ? 1 : 0),
      nanoseconds: nanoseconds < 0 ? nanoseconds + 1_000_000_000 : nanoseconds)
  }
}

extension ObjectType {
  init(corpus document: Document) {
    let primaryKey: String? = if case .string(let name)? = document["primaryKey"] { name } else { nil }
    self.init(
      name: document["name"]?.string ?? "", kind: document["embedded"] == .bool(true) ? .embedded : .topLevel,
      properties: (document["properties"]?.array ?? []).map { Property(corpus: $0.document) },
      primaryKey: primaryKey)
  }
}

extension Property {
  fileprivate init(corpus document: Document) {
    let element = ElementType(corpus: document)
    let optional = document["optional"] == .bool(true)
    let type: PropertyType =
      switch document["collection"]?.string {
      case "list": .list(element, optional: optional)
      case "set": .set(element, optional: optional)
      case "dict": .map(element, optional: optional)
      default: .one(element, optional: optional)
      }
    self.init(
      name: document["name"]?.string ?? "", type: type,
      index: document["indexed"] == .bool(true) ? .general : .none)
  }
}

extension ElementType {
  fileprivate init(corpus document: Document) {
    self =
      switch document["type"]?.string ?? "" {
      case "bool": .bool
      case "int": .int
      case "float": .float
      case "double": .double
      case "decimal": .decimal128
      case "string": .string
      case "binary": .data
      case "timestamp": .date
      case "objectid": .objectID
      case "uuid": .uuid
      case "object": .object(document["objectType"]?.string ?? "")
      default: .mixed
      }
  }
}
