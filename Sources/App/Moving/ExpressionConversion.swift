import GatehouseBSON

/// Makes RQL of App Services' rule expressions: MongoDB filters in which `%%user` stands for the caller.
struct ExpressionConversion {

  /// Returns a filter, or nil where the expression holds for every object. Throws `ConfigurationError` where RQL has no words for it.
  static func filter(_ value: Value, at place: [JSONPlace.Step]) throws(ConfigurationError) -> String? {
    switch value {
    case .bool(true): return nil
    case .bool(false): return "FALSEPREDICATE"
    case .document(let document): return try conjunction(document, at: place)
    default: throw ConfigurationError(at: place, "a rule is true, false or an expression")
    }
  }

  private static func conjunction(_ document: Document, at place: [JSONPlace.Step]) throws(ConfigurationError)
    -> String?
  {
    var parts: [String] = []
    for element in document.elements {
      let path = place + [.name(element.key)]
      switch element.key {
      case "$and", "%and": parts += try all(element.value, at: path)
      case "$or", "%or": parts.append(try any(element.value, at: path))
      case "$nor", "%nor": parts.append("NOT \(try any(element.value, at: path))")
      case "%%true":
        guard element.value == .bool(true) else {
          throw ConfigurationError(at: path, "“%%true” is compared with true only")
        }
      default: parts.append(try comparison(of: element.key, element.value, at: path))
      }
    }
    return parts.isEmpty ? nil : parts.joined(separator: " AND ")
  }

  private static func alternatives(_ value: Value, at place: [JSONPlace.Step]) throws(ConfigurationError)
    -> [String?]
  {
    guard case .array(let values) = value else {
      throw ConfigurationError(at: place, "here an array should stand")
    }
    var parts: [String?] = []
    for (index, value) in values.enumerated() {
      parts.append(try filter(value, at: place + [.index(index)]))
    }
    return parts
  }

  private static func all(_ value: Value, at place: [JSONPlace.Step]) throws(ConfigurationError) -> [String] {
    try alternatives(value, at: place).compactMap { $0.map { "(\($0))" } }
  }

  private static func any(_ value: Value, at place: [JSONPlace.Step]) throws(ConfigurationError) -> String {
    let parts = try alternatives(value, at: place)
    if parts.contains(where: { $0 == nil }) { return "TRUEPREDICATE" }
    return "(\(parts.compactMap { $0.map { "(\($0))" } }.joined(separator: " OR ")))"
  }

  /// A comparison of a property. `%%root.name` and `name` are the same.
  private static func comparison(
    of name: String, _ value: Value, at place: [JSONPlace.Step]
  ) throws(ConfigurationError) -> String {
    let path = name.hasPrefix("%%root.") ? String(name.dropFirst(7)) : name
    guard !path.hasPrefix("%"), !path.hasPrefix("$") else {
      throw ConfigurationError(at: place, "“\(name)” is no property of the object")
    }
    guard isPath(path) else { throw ConfigurationError(at: place, "“\(name)” is no path of properties") }
    // Extended JSON has a form for it, `$regex`.
    if case .regularExpression = value {
      throw ConfigurationError(at: place, "regular expressions cannot be said in RQL")
    }
    guard case .document(let operators) = value, let first = operators.elements.first,
      first.key.hasPrefix("$") || first.key.hasPrefix("%") && !first.key.hasPrefix("%%")
    else { return "\(path) == \(try literal(value, at: place))" }
    var parts: [String] = []
    for element in operators.elements {
      let inner = place + [.name(element.key)]
      switch element.key.dropFirst() {
      case "eq": parts.append("\(path) == \(try literal(element.value, at: inner))")
      case "ne": parts.append("\(path) != \(try literal(element.value, at: inner))")
      case "gt": parts.append("\(path) > \(try literal(element.value, at: inner))")
      case "gte": parts.append("\(path) >= \(try literal(element.value, at: inner))")
      case "lt": parts.append("\(path) < \(try literal(element.value, at: inner))")
      case "lte": parts.append("\(path) <= \(try literal(element.value, at: inner))")
      case "in": parts.append("\(path) IN \(try list(element.value, at: inner))")
      case "nin": parts.append("NOT \(path) IN \(try list(element.value, at: inner))")
      case "exists":
        guard case .bool(let exists) = element.value else {
          throw ConfigurationError(at: inner, "“\(element.key)” takes true or false")
        }
        parts.append("\(path) \(exists ? "!=" : "==") NULL")
      default: throw ConfigurationError(at: inner, "“\(element.key)” cannot be said in RQL")
      }
    }
    return parts.count == 1 ? parts[0] : "(\(parts.joined(separator: " AND ")))"
  }

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
      guard text.hasPrefix("%%user.") else {
        throw ConfigurationError(at: place, "“\(text)” cannot be said in RQL")
      }
      let names = text.dropFirst(7)
      guard isPath(String(names)),
        ["id", "data", "custom_data", "roles"].contains(names.prefix { $0 != "." })
      else {
        throw ConfigurationError(at: place, "“\(text)” is nothing that rules know of their caller")
      }
      return text
    case .document(let document):
      // A value that App Services makes of another one: an identifier of a text.
      if document.elements.count == 1, let element = document.elements.first,
        ["%stringToOid", "%stringToUuid"].contains(element.key), case .string("%%user.id") = element.value
      {
        return "%%user.id"
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
