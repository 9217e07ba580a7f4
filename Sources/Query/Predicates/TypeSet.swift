internal import GatehouseModel

/// The types of values that a name such as `numeric` or `collection` covers.
///
/// Names: realm-core, `query_value.cpp`.
public struct TypeSet: OptionSet, Hashable, Sendable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  public static let null = TypeSet(rawValue: 1 << 0)
  public static let int = TypeSet(rawValue: 1 << 1)
  public static let bool = TypeSet(rawValue: 1 << 2)
  public static let string = TypeSet(rawValue: 1 << 3)
  public static let data = TypeSet(rawValue: 1 << 4)
  public static let date = TypeSet(rawValue: 1 << 5)
  public static let float = TypeSet(rawValue: 1 << 6)
  public static let double = TypeSet(rawValue: 1 << 7)
  public static let decimal128 = TypeSet(rawValue: 1 << 8)
  public static let link = TypeSet(rawValue: 1 << 9)
  public static let objectID = TypeSet(rawValue: 1 << 10)
  public static let uuid = TypeSet(rawValue: 1 << 11)
  public static let dictionary = TypeSet(rawValue: 1 << 12)
  public static let list = TypeSet(rawValue: 1 << 13)

  public static let numeric: TypeSet = [.int, .float, .double, .decimal128]
  public static let collection: TypeSet = [.dictionary, .list]
}

extension TypeSet {
  /// The type of the values of a property.
  init(_ type: ElementType) {
    self =
      switch type {
      case .bool: .bool
      case .int: .int
      case .float: .float
      case .double: .double
      case .decimal128: .decimal128
      case .string: .string
      case .data: .data
      case .date: .date
      case .objectID: .objectID
      case .uuid: .uuid
      case .object: .link
      case .mixed: []
      }
  }

  /// The type of a value.
  init(_ value: Mixed) {
    self =
      switch value {
      case .null: .null
      case .bool: .bool
      case .int: .int
      case .float: .float
      case .double: .double
      case .decimal128: .decimal128
      case .string: .string
      case .data: .data
      case .date: .date
      case .objectID: .objectID
      case .uuid: .uuid
      case .link: .link
      case .list: .list
      case .dictionary: .dictionary
      }
  }

  /// The types that a name stands for, in any case.
  init?(named name: String) {
    guard let types = Self.names[name.lowercased()] else { return nil }
    self = types
  }

  private static let names: [String: TypeSet] = [
    "null": .null, "int": .int, "integer": .int, "int16": .int, "int32": .int, "int64": .int, "short": .int,
    "long": .int, "byte": .int, "char": .int, "bool": .bool, "boolean": .bool, "string": .string,
    "binary": .data, "data": .data, "bytearray": .data, "byte[]": .data, "bindata": .data, "date": .date,
    "datetimeoffset": .date, "timestamp": .date, "float": .float, "double": .double, "decimal": .decimal128,
    "decimal128": .decimal128, "objectlink": .link, "link": .link, "objectid": .objectID, "uuid": .uuid,
    "guid": .uuid, "numeric": .numeric, "object": .dictionary, "dictionary": .dictionary, "array": .list,
    "list": .list, "collection": .collection,
  ]

  /// A name that stands for exactly these types.
  var name: String {
    Self.names.filter { $0.value == self }.map(\.key).min() ?? "null"
  }
}
