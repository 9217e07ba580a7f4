extension ElementType {
  /// The types that are no classes, by realm-js' names.
  static let scalars: [(name: String, type: ElementType)] =
    ValueType.allCases.compactMap { type in type.elementType.map { (type.name, $0) } } + [("mixed", .mixed)]

  /// Names that need an `objectType` beside them.
  static let containers = ["object", "list", "set", "dictionary", "linkingObjects"]

  /// The type that realm-js calls `name`; what is no type's name is a class'.
  init(name: String) {
    self = Self.scalars.first { $0.name == name }?.type ?? .object(name)
  }

  /// The name in realm-js' notation: the type's, or the class'.
  public var name: String {
    if case .object(let objectType) = self { objectType } else { valueType?.name ?? "mixed" }
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
