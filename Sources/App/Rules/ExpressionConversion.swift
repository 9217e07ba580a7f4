import GatehouseBSON
import GatehouseModel

/// Makes RQL of App Services' rule expressions: MongoDB filters in which `%%user` stands for the caller.
///
/// Where RQL cannot say just that, an inner bound holds for fewer documents than the expression, and an outer one for more.
struct ExpressionConversion {
  private let schema: Schema
  /// The class whose objects are asked; nil: the expression is for several, and so about no property.
  private let type: ObjectType?

  init(on type: ObjectType?, in schema: Schema) {
    self.type = type
    self.schema = schema
  }

  /// Returns a filter, or nil where the expression holds for every object. Throws `ConfigurationError` where RQL has no words for it.
  func filter(
    _ value: Value, _ bound: RuleBound, at place: [JSONPlace.Step]
  ) throws(ConfigurationError) -> String? {
    switch value {
    case .bool(true): return nil
    case .bool(false): return "FALSEPREDICATE"
    case .document(let document): return try conjunction(document, bound, at: place)
    default: throw ConfigurationError(at: place, "a rule is true, false or an expression")
    }
  }

  private func conjunction(
    _ document: Document, _ bound: RuleBound, at place: [JSONPlace.Step]
  ) throws(ConfigurationError) -> String? {
    var parts: [String] = []
    for element in document.elements {
      let path = place + [.name(element.key)]
      switch element.key {
      case "$and", "%and":
        parts += try alternatives(element.value, bound, at: path).compactMap { $0.map { "(\($0))" } }
      case "$or", "%or": parts.append(try any(element.value, bound, at: path))
      case "$nor", "%nor": parts.append("NOT \(try any(element.value, bound.opposite, at: path))")
      case "%%true":
        guard element.value == .bool(true) else {
          throw ConfigurationError(at: path, "“%%true” is compared with true only")
        }
      default: parts.append(try comparison(of: element.key, element.value, bound, at: path))
      }
    }
    return parts.isEmpty ? nil : parts.joined(separator: " AND ")
  }

  private func alternatives(
    _ value: Value, _ bound: RuleBound, at place: [JSONPlace.Step]
  ) throws(ConfigurationError) -> [String?] {
    guard case .array(let values) = value, !values.isEmpty else {
      throw ConfigurationError(at: place, "here an array of expressions should stand")
    }
    var parts: [String?] = []
    for (index, value) in values.enumerated() {
      parts.append(try filter(value, bound, at: place + [.index(index)]))
    }
    return parts
  }

  private func any(
    _ value: Value, _ bound: RuleBound, at place: [JSONPlace.Step]
  ) throws(ConfigurationError) -> String {
    let parts = try alternatives(value, bound, at: place)
    if parts.contains(where: { $0 == nil }) { return "TRUEPREDICATE" }
    return "(\(parts.compactMap { $0.map { "(\($0))" } }.joined(separator: " OR ")))"
  }

  /// A comparison of a property. `%%root.name` and `name` are the same.
  private func comparison(
    of name: String, _ value: Value, _ bound: RuleBound, at place: [JSONPlace.Step]
  ) throws(ConfigurationError) -> String {
    if name.hasPrefix("%%user."), let turned = try turned(name, value, at: place) { return turned }
    let text = name.hasPrefix("%%root.") ? String(name.dropFirst(7)) : name
    guard !text.hasPrefix("%"), !text.hasPrefix("$") else {
      throw ConfigurationError(at: place, RuleExpansion.refusal(of: text))
    }
    return try condition(on: try path(text, at: place), value, bound, at: place)
  }

  private func path(_ text: String, at place: [JSONPlace.Step]) throws(ConfigurationError) -> RulePath {
    guard Self.isPath(text) else { throw ConfigurationError(at: place, "“\(text)” is no path of properties") }
    guard let type else {
      throw ConfigurationError(at: place, "a condition on documents is one of a collection")
    }
    guard let path = RulePath(text.split(separator: "."), on: type, in: schema) else {
      throw ConfigurationError(
        at: place, "“\(text)” leads to no value of \(type.name) that a rule could compare")
    }
    return path
  }

  /// A comparison whose left side is the caller: `"%%user.id": "%%root.owner"`, `{"%in": "%%root.members"}`. Nil: it is no such one.
  private func turned(
    _ name: String, _ value: Value, at place: [JSONPlace.Step]
  ) throws(ConfigurationError) -> String? {
    let literal = try Self.literal(.string(name), at: place)
    switch value {
    case .string(let text) where text.hasPrefix("%%root."):
      // Not of a list, which is something else than its elements.
      switch try path(String(text.dropFirst(7)), at: place) {
      case .single(let path), .entry(let path): return "\(path) == \(literal)"
      case .mixed(let names): return "\(names.joined(separator: ".")) == \(literal)"
      case .many: return nil
      }
    case .document(let operators):
      guard operators.elements.count == 1, let element = operators.elements.first,
        ["$in", "%in"].contains(element.key), case .string(let text) = element.value,
        text.hasPrefix("%%root.")
      else { return nil }
      switch try path(String(text.dropFirst(7)), at: place + [.name(element.key)]) {
      case .many(let path): return "\(path) == \(literal)"
      case .mixed(let names) where names.count == 1:
        return "(\(names[0]).@type == 'array' AND \(names[0])[*] == \(literal))"
      case .single, .entry, .mixed: return nil
      }
    default: return nil
    }
  }

  private func condition(
    on path: RulePath, _ value: Value, _ bound: RuleBound, at place: [JSONPlace.Step]
  ) throws(ConfigurationError) -> String {
    // Extended JSON has a form for it, `$regex`.
    if case .regularExpression = value {
      throw ConfigurationError(at: place, "regular expressions cannot be said in RQL")
    }
    guard case .document(let operators) = value, let first = operators.elements.first,
      first.key.hasPrefix("$") || first.key.hasPrefix("%") && !Self.isValue(first.key)
    else { return try equality(path, value, bound: bound, at: place) }
    var parts: [String] = []
    for element in operators.elements {
      let inner = place + [.name(element.key)]
      guard element.key.hasPrefix("$") || element.key.hasPrefix("%") else {
        throw ConfigurationError(at: inner, "“\(element.key)” cannot be said in RQL")
      }
      let name = element.key.dropFirst()
      switch name {
      case "eq": parts.append(try equality(path, element.value, bound: bound, at: inner))
      case "ne": parts.append(try inequality(path, element.value, bound: bound, at: inner))
      case "gt", "gte", "lt", "lte":
        guard element.value != .null else { throw ConfigurationError(at: inner, "null has no order") }
        let relation = ["gt": ">", "gte": ">=", "lt": "<", "lte": "<="][name] ?? "=="
        parts.append(path.condition(relation, try Self.literal(element.value, at: inner), bound: bound))
      case "in": parts.append(try membership(path, element.value, bound: bound, at: inner))
      case "nin": parts.append("NOT \(try membership(path, element.value, bound: bound.opposite, at: inner))")
      case "not":
        guard case .document(let others) = element.value, others.elements.first?.key.first == "$" else {
          throw ConfigurationError(at: inner, "“\(element.key)” takes operators")
        }
        let part = try condition(on: path, element.value, bound.opposite, at: inner)
        parts.append(part.hasPrefix("(") ? "NOT \(part)" : "NOT (\(part))")
      case "exists": parts.append(try existence(path, element, bound: bound, at: inner))
      default: throw ConfigurationError(at: inner, RuleExpansion.refusal(of: element.key))
      }
    }
    return parts.count == 1 ? parts[0] : "(\(parts.joined(separator: " AND ")))"
  }

  private func equality(
    _ path: RulePath, _ value: Value, bound: RuleBound, at place: [JSONPlace.Step]
  ) throws(ConfigurationError) -> String {
    if value == .null { return try isNull(path, bound, at: place) }
    return path.condition("==", try Self.literal(value, at: place), bound: bound)
  }

  private func isNull(
    _ path: RulePath, _ bound: RuleBound, at place: [JSONPlace.Step]
  ) throws(ConfigurationError) -> String {
    guard let condition = path.isNull(bound) else {
      throw ConfigurationError(at: place, "a list is never null or missing here")
    }
    return condition
  }

  /// MongoDB's `$ne` holds where no element of a list is equal, RQL's `!=` where one is not.
  private func inequality(
    _ path: RulePath, _ value: Value, bound: RuleBound, at place: [JSONPlace.Step]
  ) throws(ConfigurationError) -> String {
    if case .single(let name) = path { return "\(name) != \(try Self.literal(value, at: place))" }
    if case .entry(let name) = path, value == .null { return "\(name) != NULL" }
    return "NOT \(try equality(path, value, bound: bound.opposite, at: place))"
  }

  private func membership(
    _ path: RulePath, _ value: Value, bound: RuleBound, at place: [JSONPlace.Step]
  ) throws(ConfigurationError) -> String {
    let list = try Self.list(value, at: place)
    guard case .array(var values) = value, values.contains(.null) else {
      return path.condition("IN", list, bound: bound)
    }
    switch path {
    case .single: return path.condition("IN", list, bound: bound)
    case .many, .entry, .mixed:
      values.removeAll { $0 == .null }
      if values.isEmpty { return try isNull(path, bound, at: place) }
      let others = path.condition("IN", try Self.list(.array(values), at: place), bound: bound)
      return "(\(others) OR \(try isNull(path, bound, at: place)))"
    }
  }

  private func existence(
    _ path: RulePath, _ element: Document.Element, bound: RuleBound, at place: [JSONPlace.Step]
  ) throws(ConfigurationError) -> String {
    guard case .bool(let exists) = element.value else {
      throw ConfigurationError(at: place, "“\(element.key)” takes true or false")
    }
    if case .single(let name) = path { return "\(name) \(exists ? "!=" : "==") NULL" }
    guard let condition = path.exists(exists ? bound : bound.opposite) else {
      throw ConfigurationError(at: place, "null and missing are the same here: compare with null")
    }
    return exists ? condition : "NOT \(condition)"
  }

  /// Whether an operator makes a value of another one.
  private static func isValue(_ name: String) -> Bool { name == "%stringToOid" }

  private static func list(_ value: Value, at place: [JSONPlace.Step]) throws(ConfigurationError) -> String {
    guard case .array(let values) = value else { return try literal(value, at: place) }
    var literals: [String] = []
    for (index, value) in values.enumerated() {
      literals.append(try literal(value, at: place + [.index(index)]))
    }
    return "{\(literals.joined(separator: ", "))}"
  }

  private static func literal(_ value: Value, at place: [JSONPlace.Step]) throws(ConfigurationError) -> String
  {
    switch value {
    case .null: return "NULL"
    case .bool(let flag): return flag ? "true" : "false"
    case .int32(let number): return String(number)
    case .int64(let number): return String(number)
    case .double(let number): return "\(number)"
    case .objectID(let id): return "oid(\(id))"
    case .string(let text):
      guard text.hasPrefix("%%") else { return quoted(text) }
      if ["%%true", "%%false"].contains(text) { return String(text.dropFirst(2)) }
      let names = text.dropFirst(7)
      guard text.hasPrefix("%%user."), isPath(String(names)),
        ["id", "data", "custom_data", "roles"].contains(names.prefix { $0 != "." })
      else { throw ConfigurationError(at: place, RuleExpansion.refusal(of: text)) }
      return text
    case .document(let document):
      // A value that App Services makes of another one: an identifier of a text.
      if document.elements.count == 1, let element = document.elements.first, isValue(element.key),
        case .string(let text) = element.value
      {
        if text.hasPrefix("%%user.") { return "oid(\(try literal(element.value, at: place)))" }
        if let id = ObjectID(text) { return "oid(\(id))" }
      }
      throw ConfigurationError(at: place, "an object is compared by its properties, one by one")
    default: throw ConfigurationError(at: place, "a value of that type cannot stand in a rule")
    }
  }

  private static func quoted(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\\\").replacing("'", with: "\\'").replacing("\n", with: "\\n")
    return "'\(escaped)'"
  }

  private static func isPath(_ text: String) -> Bool {
    text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { name in
      !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        && name.first?.isNumber == false
    }
  }
}
