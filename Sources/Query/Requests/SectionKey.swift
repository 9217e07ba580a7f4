public import GatehouseModel

/// A value by which the objects of a result are put into sections. Realm's `sectioned(by:)`.
public struct SectionKey: Hashable, Sendable {
  /// Yields one value.
  public let path: KeyPath
  /// Whether the first letter of a string stands for it.
  public let isFirstLetter: Bool

  /// The type of each key that is not null.
  public var type: ElementType { isFirstLetter ? .string : path.type }

  /// Reads `name`, `country.name` or `firstLetter(name)`.
  public init(_ text: String, objectType: String, schema: Schema) throws(QueryError) {
    (path, isFirstLetter) = try Plan.parsing(.sectionBy) { () throws(QueryError) in
      let binder = Binder(schema: schema, arguments: [])
      let type = try binder.constants.objectType(objectType, offset: 0)
      var parser = try Parser(text)
      let first = try parser.path()
      guard parser.token.kind == .leftParenthesis, first.isFirstLetter else {
        try parser.expect(.end)
        return (try binder.paths.orderPath(first, on: type), false)
      }
      try parser.advance()
      let path = try binder.paths.orderPath(parser.path(), on: type)
      try parser.expect(.rightParenthesis)
      try parser.expect(.end)
      guard path.type == .string || path.type == .mixed else {
        throw .incomparable(offset: first.offset, left: "firstLetter", right: path.type.name)
      }
      return (path, true)
    }
  }

  /// Returns the key of the section that an object with that value belongs to.
  public func key(of value: Mixed) -> Mixed {
    guard isFirstLetter else { return value }
    guard case .string(let text) = value else { return .null }
    return .string(text.first.map(String.init) ?? "")
  }
}

extension SyntaxTree.Path {
  fileprivate var isFirstLetter: Bool {
    guard elements.count == 1, case .name(let name) = elements[0] else { return false }
    return name.text == "firstLetter"
  }
}
