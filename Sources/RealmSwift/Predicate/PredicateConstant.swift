internal import GatehouseBSON
internal import GatehouseModel
internal import GatehouseQuery

/// A value that does not depend on the object.
indirect enum PredicateConstant: Equatable, Sendable {
  /// Anything but a link, a list or a dictionary.
  case value(Mixed)
  case object(PredicateObject)
  case list([PredicateConstant])
  case dictionary([String: PredicateConstant])
  case region(PredicateRegion)
  /// A value that no property has; the texts are for errors.
  case other(text: String, typeName: String)

  static let null = PredicateConstant.value(.null)

  var isNull: Bool { self == .null }

  /// The value of an argument.
  init(_ value: Any?) {
    guard let value else {
      self = .null
      return
    }
    if let value = value as? any PredicateArgument {
      self = value.predicateConstant
    } else if let value = value as? any _CustomPersistable {
      self = PredicateConstant(value._rlmAny)
    } else if let value = value as? any RawRepresentable {
      self = PredicateConstant(value.rawValue)
    } else {
      self = .other(text: "\(value)", typeName: "\(type(of: value))")
    }
  }
}

/// A type whose values may be arguments of predicates.
protocol PredicateArgument {
  var predicateConstant: PredicateConstant { get }
}

/// An object that properties are compared with.
struct PredicateObject: Equatable, Sendable {
  let className: String
  /// The primary key by which the store knows it, or `_key`; nil: no store has it.
  let id: Mixed?
  /// The values that an embedded object is compared by which no store has.
  let members: [Member]
  let text: String

  /// A property and its value; nil where such values cannot be compared.
  struct Member: Equatable, Sendable {
    let name: String
    let value: PredicateConstant?
    /// How an error calls such values.
    let kind: String
  }
}

/// A region, and how errors call it.
struct PredicateRegion: Equatable, Sendable {
  let region: Region
  let text: String
}

/// Texts of errors.
extension PredicateConstant: CustomStringConvertible {
  var description: String {
    switch self {
    case .value(let value): value.text
    case .object(let object): object.text
    case .list(let elements): "[\(elements.map(\.description).joined(separator: ", "))]"
    case .dictionary(let entries): "\(entries.keys.sorted())"
    case .region(let region): region.text
    case .other(let text, _): text
    }
  }

  /// The name of its type in Swift.
  var typeName: String {
    switch self {
    case .value(let value): value.typeName
    case .object(let object): object.className
    case .list: "Array"
    case .dictionary: "Dictionary"
    case .region: "RLMGeospatial"
    case .other(_, let name): name
    }
  }
}

extension Mixed {
  fileprivate var text: String {
    switch self {
    case .null: "(null)"
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .float(let value): "\(value)"
    case .double(let value): "\(value)"
    case .decimal128(let value): value.description
    case .string(let value): value
    case .data(let bytes): "\(bytes.count) bytes"
    case .date(let date): "\(FoundationDate(date))"
    case .objectID(let value): value.description
    case .uuid(let value): value.description
    case .link(let link): link.objectType
    case .list, .dictionary: "\(self)"
    }
  }

  fileprivate var typeName: String {
    switch self {
    case .null: "nil"
    case .bool: "Bool"
    case .int: "Int"
    case .float: "Float"
    case .double: "Double"
    case .decimal128: "Decimal128"
    case .string: "String"
    case .data: "Data"
    case .date: "Date"
    case .objectID: "ObjectId"
    case .uuid: "UUID"
    case .link: "Object"
    case .list: "List"
    case .dictionary: "Map"
    }
  }
}
