import GatehouseBSON

/// `$addFields`, which is `$set`: fields that are computed, beside those that are there.
struct FieldAssignment: Sendable {
  private let tree: PathTree<Expression>

  init(_ document: Document, _ name: String, variables: Set<String> = []) throws(DocumentsError) {
    if document.elements.isEmpty {
      throw .at(40177, "Invalid \(name) :: caused by :: specification must have at least one field")
    }
    var tree = PathTree<Expression>()
    for element in document.elements {
      try Self.insert(
        (element.value, variables), at: try FieldPath(expression: element.key).components, into: &tree)
    }
    self.tree = tree
  }

  private static func insert(
    _ given: (value: Value, variables: Set<String>), at path: [String], into tree: inout PathTree<Expression>
  ) throws(DocumentsError) {
    let (value, variables) = given
    try FieldPath.checkLength(of: path)
    if let document = value.asDocument, let first = document.elements.first,
      first.key.utf8.first != UInt8(ascii: "$")
    {
      for element in document.elements {
        try insert(
          (element.value, variables), at: path + FieldPath(expression: element.key).components, into: &tree)
      }
      return
    }
    if !tree.insert(try Expression(value, variables: variables), at: path[...]) {
      throw .at(31250, "Path collision at \(path.joined(separator: "."))")
    }
  }

  func apply(to document: Document, in scope: Scope) throws(DocumentsError) -> Document {
    try apply(tree, to: document, scope.with(root: document))
  }

  private func apply(
    _ tree: PathTree<Expression>, to document: Document, _ scope: Scope
  ) throws(DocumentsError) -> Document {
    var result = document
    for member in tree.members {
      switch member.node {
      case .leaf(let expression):
        if let value = try expression.value(in: scope) {
          result.set(member.name, value)
        } else {
          result.remove(member.name)
        }
      case .branch(let branch):
        result.set(member.name, try apply(branch, to: result[member.name], scope))
      }
    }
    return result
  }

  /// Fields in each document of an array; a value that has no fields gives way.
  private func apply(
    _ tree: PathTree<Expression>, to value: Value?, _ scope: Scope
  ) throws(DocumentsError) -> Value {
    switch value {
    case .document(let document)?: return .document(try apply(tree, to: document, scope))
    case .array(let values)?:
      return .array(
        try values.mapped { value throws(DocumentsError) in try apply(tree, to: value, scope) })
    default: return .document(try apply(tree, to: Document(), scope))
    }
  }
}
