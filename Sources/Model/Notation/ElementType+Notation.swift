extension ElementType {
  /// The types that are no classes, by realm-js' names.
  static let scalars: [(name: String, type: ElementType)] = [
    ("bool", .bool), ("int", .int), ("float", .float), ("double", .double), ("decimal128", .decimal128),
    ("string", .string), ("data", .data), ("date", .date), ("objectId", .objectID), ("uuid", .uuid),
    ("mixed", .mixed),
  ]

  /// Names that need an `objectType` beside them.
  static let containers = ["object", "list", "set", "dictionary", "linkingObjects"]

  /// The type that realm-js calls `name`; what is no type's name is a class'.
  init(name: String) {
    self = Self.scalars.first { $0.name == name }?.type ?? .object(name)
  }

  /// The name in realm-js' notation: the type's, or the class'.
  public var name: String {
    switch self {
    case .bool: "bool"
    case .int: "int"
    case .float: "float"
    case .double: "double"
    case .decimal128: "decimal128"
    case .string: "string"
    case .data: "data"
    case .date: "date"
    case .objectID: "objectId"
    case .uuid: "uuid"
    case .mixed: "mixed"
    case .object(let objectType): objectType
    }
  }

  /// Whether it is a link or an embedded object.
  public var isObject: Bool {
    if case .object = self { true } else { false }
  }

  /// Whether null is legal where the notation says nothing of it (S:RealmSwift, C:object_schema.cpp:222).
  func isOptionalByNature(in container: PropertyType.Container) -> Bool {
    switch self {
    case .mixed: true
    case .object: container == .one || container == .map
    default: false
    }
  }
}
