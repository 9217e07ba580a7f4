package import GatehouseModel

/// The types of values that a name such as `numeric` or `collection` covers.
public struct TypeSet: OptionSet, Hashable, Sendable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// The set of one type.
  package init(_ type: ValueType) {
    precondition(type.rawValue < UInt16.bitWidth, "each type has a bit of its own: \(type)")
    rawValue = 1 << UInt16(type.rawValue)
  }

  /// The type of the values of a property; none for mixed.
  init(_ type: ElementType) {
    self = type.valueType.map { TypeSet($0) } ?? []
  }

  /// The types that a name stands for, in any case.
  init?(named name: String) {
    guard let types = Self.names[name.lowercased()] else { return nil }
    self = types
  }

  /// A name that stands for exactly these types.
  var name: String {
    Self.names.filter { $0.value == self }.map(\.key).min() ?? ValueType.null.name
  }
}

extension TypeSet {
  private static let names: [String: TypeSet] = types.mapValues { types in
    types.reduce(into: []) { $0.insert(TypeSet($1)) }
  }

  /// The types that names in queries stand for (realm-core, `query_value.cpp`).
  private static let types: [String: [ValueType]] = [
    "null": [.null], "int": [.int], "integer": [.int], "int16": [.int], "int32": [.int], "int64": [.int],
    "short": [.int], "long": [.int], "byte": [.int], "char": [.int], "bool": [.bool], "boolean": [.bool],
    "string": [.string], "binary": [.data], "data": [.data], "bytearray": [.data], "byte[]": [.data],
    "bindata": [.data], "date": [.date], "datetimeoffset": [.date], "timestamp": [.date], "float": [.float],
    "double": [.double], "decimal": [.decimal128], "decimal128": [.decimal128], "objectlink": [.link],
    "link": [.link], "objectid": [.objectID], "uuid": [.uuid], "guid": [.uuid],
    "numeric": [.int, .float, .double, .decimal128], "object": [.dictionary], "dictionary": [.dictionary],
    "array": [.list], "list": [.list], "collection": [.dictionary, .list],
  ]
}
