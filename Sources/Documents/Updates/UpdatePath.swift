/// The path of an update: fields, and places in arrays that are known only when it is applied.
struct UpdatePath: Hashable, Sendable {
  enum Part: Hashable, Sendable {
    case field(String)
    /// `$`: the element that the filter matched.
    case matched
    /// `$[]`: each element.
    case each
    /// `$[name]`: each element for which the filter of that name holds.
    case filtered(String)
  }

  let text: String
  let parts: [Part]

  init(_ text: String, of name: String) throws(DocumentsError) {
    self.text = text
    let components = try FieldPath.split(text)
    if text.isEmpty { throw DocumentsError(.emptyFieldName, "An empty update path is not valid.") }
    var parts: [Part] = []
    for component in components {
      if component.isEmpty {
        throw DocumentsError(
          .emptyFieldName, "The update path '\(text)' contains an empty field name, which is not allowed.")
      }
      if component == "$" {
        if parts.isEmpty {
          throw .badValue("Cannot have positional (i.e. '$') element in the first position in path '\(text)'")
        }
        if parts.contains(.matched) {
          throw .badValue("Too many positional (i.e. '$') elements found in path '\(text)'")
        }
        parts.append(.matched)
      } else if component.hasPrefix("$["), component.hasSuffix("]") {
        if parts.isEmpty {
          throw .badValue(
            "Cannot have array filter identifier (i.e. '$[<id>]') element in the first position in path '\(text)'"
          )
        }
        let identifier = component.dropFirst(2).dropLast()
        parts.append(identifier.isEmpty ? .each : .filtered(String(identifier)))
      } else if component.hasPrefix("$"), !["$ref", "$id", "$db"].contains(component) {
        throw DocumentsError(
          .dollarPrefixedFieldName,
          "The dollar ($) prefixed field '\(component)' in '\(text)' is not allowed in the context of an update's \(name)."
        )
      } else {
        parts.append(.field(component))
      }
    }
    self.parts = parts
  }

  /// Whether it may lead to many places.
  var isOfMany: Bool {
    parts.contains { part in
      switch part {
      case .each, .filtered: true
      case .field, .matched: false
      }
    }
  }

  /// Fields that are new are appended in this order: by names, and by numbers where both are.
  static func precedes(_ left: UpdatePath, _ right: UpdatePath) -> Bool {
    for (left, right) in zip(left.text.split(separator: "."), right.text.split(separator: "."))
    where left != right {
      if let left = String(left).arrayIndex, let right = String(right).arrayIndex { return left < right }
      return ValueOrder.compareBytes(String(left), String(right)) < 0
    }
    return left.parts.count < right.parts.count
  }
}
