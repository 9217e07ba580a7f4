public import GatehouseBSON

/// A projection of `find`, or of `$project`: the fields that a document is to have.
public struct Projection: Sendable {
  /// The kind of the language: `find` has a few operators of its own.
  public enum Kind: Sendable {
    case find
    case stage
  }

  enum Rule: Sendable {
    case include
    case exclude
    case computed(Expression)
    case slice(skip: Int?, count: Int)
    case elementMatch(Filter)
    /// `a.$`: the element that the filter matched.
    case positional
  }

  let tree: PathTree<Rule>
  let isExclusion: Bool
  let keepsID: Bool
  /// The filter of `find`, for `a.$`.
  private let filter: Filter?
  private let hasPositional: Bool

  /// - Parameters:
  ///   - filter: that of the same `find`, which `$` in a path refers to.
  ///   - variables: names of `$$` beside those of the system.
  public init(
    _ document: Document, kind: Kind = .find, filter: Filter? = nil, variables: Set<String> = []
  ) throws(DocumentsError) {
    var parser = ProjectionParser(kind: kind, variables: variables)
    try parser.parse(document)
    tree = parser.tree
    isExclusion = parser.isExclusion ?? !parser.hasComputed
    keepsID = parser.keepsID ?? true
    hasPositional = parser.hasPositional
    self.filter = filter
    if hasPositional, filter == nil {
      throw .at(51246, "positional operator '.$' requires corresponding field in query specifier")
    }
  }

  /// The document with the fields that the projection wants.
  public func apply(to document: Document, in scope: Scope) throws(DocumentsError) -> Document {
    let scope = scope.with(root: document)
    var position: Int?
    if hasPositional, let filter { position = try filter.match(document, in: scope).position }
    let projector = Projector(scope: scope, isExclusion: isExclusion, position: position)
    var result = Document()
    // The identifier comes first in what is included, wherever it was.
    if !isExclusion, keepsID, tree["_id"] == nil, let id = document["_id"] { result.append("_id", id) }
    try projector.append(tree, of: document, to: &result, isTop: true)
    if isExclusion, !keepsID { result.remove("_id") }
    return result
  }
}

/// Reads projections.
private struct ProjectionParser {
  let kind: Projection.Kind
  let variables: Set<String>
  var tree = PathTree<Projection.Rule>()
  var isExclusion: Bool?
  var keepsID: Bool?
  var hasComputed = false
  var hasPositional = false

  init(kind: Projection.Kind, variables: Set<String>) {
    self.kind = kind
    self.variables = variables
  }

  mutating func parse(_ document: Document) throws(DocumentsError) {
    if document.elements.isEmpty, kind == .stage {
      throw .at(
        51272, "Invalid $project :: caused by :: projection specification must have at least one field")
    }
    for element in document.elements {
      if element.key == "_id", let isIncluded = Self.flag(element.value) {
        keepsID = isIncluded
        if isIncluded { try insert(.include, ["_id"]) }
        continue
      }
      try member(try path(of: element.key), element.value)
    }
    // Only the identifier is asked for.
    if isExclusion == nil, document.elements.count == 1, keepsID == true { isExclusion = false }
    if isExclusion == nil, kind == .stage, hasComputed { isExclusion = false }
  }

  private mutating func path(of key: String) throws(DocumentsError) -> [String] {
    var components = try FieldPath.split(key)
    if kind == .find, components.count > 1, components.last == "$" {
      if hasPositional { throw .at(31276, "Cannot specify more than one positional projection per query.") }
      components.removeLast()
      hasPositional = true
      try insert(.positional, components)
      try decide(false, key)
      return []
    }
    return try FieldPath(expression: key).components
  }

  /// Whether a value includes or excludes; nil where it is something else.
  private static func flag(_ value: Value) -> Bool? {
    if case .bool(let bool) = value { return bool }
    return value.isNumber ? Optional(value).isTrue : nil
  }

  private mutating func insert(_ rule: Projection.Rule, _ path: [String]) throws(DocumentsError) {
    try FieldPath.checkLength(of: path)
    if !tree.insert(rule, at: path[...]) {
      throw .at(31250, "Path collision at \(path.joined(separator: "."))")
    }
  }

  private mutating func decide(_ isExcluded: Bool, _ name: String) throws(DocumentsError) {
    if isExclusion ?? isExcluded != isExcluded {
      throw isExcluded
        ? .at(31254, "Cannot do exclusion on field \(name) in inclusion projection")
        : .at(31253, "Cannot do inclusion on field \(name) in exclusion projection")
    }
    isExclusion = isExcluded
  }

  private mutating func member(_ path: [String], _ value: Value) throws(DocumentsError) {
    if path.isEmpty { return }
    let name = path.joined(separator: ".")
    if let isIncluded = Self.flag(value) {
      try decide(!isIncluded, name)
      return try insert(isIncluded ? .include : .exclude, path)
    }
    if let document = value.asDocument, let first = document.elements.first {
      if first.key.utf8.first == UInt8(ascii: "$") { return try operation(path, first, in: document) }
      for element in document.elements {
        if element.key.utf8.first == UInt8(ascii: "$") {
          throw .at(31325, "Cannot include field with a $-prefixed name in a projection: \(element.key)")
        }
        try member(path + FieldPath(expression: element.key).components, element.value)
      }
      return
    }
    if value.asDocument != nil {
      throw .at(51270, "An empty sub-projection is not a valid value. Found empty object at path")
    }
    try compute(path, Expression(value, variables: variables))
  }

  private mutating func compute(_ path: [String], _ expression: Expression) throws(DocumentsError) {
    if isExclusion == true {
      throw .at(
        31252, "Cannot use expression for field \(path.joined(separator: ".")) in exclusion projection")
    }
    hasComputed = true
    isExclusion = false
    try insert(.computed(expression), path)
  }

  private mutating func operation(
    _ path: [String], _ element: Document.Element, in document: Document
  ) throws(DocumentsError) {
    switch (element.key, kind) {
    case ("$meta", _): throw DocumentsError(.commandNotSupported, "$meta is not supported")
    case ("$slice", .find):
      guard let (skip, count) = try slice(element.value) else {
        return try compute(path, Expression(.document(document), variables: variables))
      }
      try insert(.slice(skip: skip, count: count), path)
    case ("$elemMatch", .find):
      guard let condition = element.value.asDocument else {
        throw .at(31274, "elemMatch: Invalid argument, object required, but got \(element.value.typeName)")
      }
      if path.count > 1 { throw .at(31275, "Cannot use $elemMatch projection on a nested field.") }
      let filter = try Filter(["values": ["$elemMatch": .document(condition)]])
      try decide(false, path.joined(separator: "."))
      try insert(.elementMatch(filter), path)
    default: try compute(path, Expression(.document(document), variables: variables))
    }
  }

  /// A number of elements, or how many are skipped and kept; nil where it is the expression of that name.
  private func slice(_ value: Value) throws(DocumentsError) -> (Int?, Int)? {
    func integer(_ value: Value) -> Int? {
      guard let double = value.asDouble, double.isFinite else { return nil }
      return Int(max(-1e9, min(1e9, double.rounded(.towardZero))))
    }
    if value.isNumber, let count = integer(value) { return (nil, count) }
    guard case .array(let values) = value, values.count == 2, values[0].isNumber, values[1].isNumber,
      let skip = integer(values[0]), let count = integer(values[1])
    else { return nil }
    if count <= 0 { throw .at(28724, "First argument to $slice must be an array, and the limit positive") }
    return (skip, count)
  }
}
