internal import GatehouseBSON
public import GatehouseModel

extension Predicate {
  /// The predicate in the query language.
  ///
  /// Read again, it gives an equal predicate, except that what binding has said in other terms (a null string
  /// is below all others) is said once more.
  public func text(in schema: Schema) -> String {
    PredicateText(schema: schema).text(self, isOperand: false)
  }
}

/// Writes predicates in the query language.
struct PredicateText {
  let schema: Schema

  func text(_ predicate: Predicate, isOperand: Bool) -> String {
    switch predicate {
    case .all([]): "TRUEPREDICATE"
    case .any([]): "FALSEPREDICATE"
    case .all(let predicates): joined(predicates, by: " AND ", isOperand: isOperand)
    case .any(let predicates): joined(predicates, by: " OR ", isOperand: isOperand)
    case .not(let predicate): "NOT \(text(predicate, isOperand: true))"
    case .comparison(let comparison): text(comparison)
    case .fullText(let path, let query): "\(text(path)) TEXT \(quoted(text(query)))"
    case .within(let path, let quantifier, let region):
      "\(path.isToMany ? quantifier.word + " " : "")\(text(path)) GEOWITHIN \(text(region))"
    case .unguarded(let predicate): text(predicate, isOperand: isOperand)
    }
  }

  private func joined(_ predicates: [Predicate], by word: String, isOperand: Bool) -> String {
    let joined = predicates.map { text($0, isOperand: true) }.joined(separator: word)
    return isOperand ? "(\(joined))" : joined
  }

  private func text(_ comparison: Comparison) -> String {
    let relation = comparison.relation.word
    switch comparison.matching {
    case .ordered: return "\(text(comparison.left)) \(relation) \(text(comparison.right))"
    case .quantified(let left, let right, .right) where !comparison.relation.isTextual:
      let (first, second) = (quantified(comparison.left, left), quantified(comparison.right, right))
      return "\(second) \(comparison.relation.mirrored.word) \(first)"
    case .quantified(let left, let right, _):
      let (first, second) = (quantified(comparison.left, left), quantified(comparison.right, right))
      return "\(first) \(relation) \(second)"
    }
  }

  /// An operand that yields several values says how many of them count.
  private func quantified(_ operand: Operand, _ quantifier: Quantifier) -> String {
    let word = quantifier.word + " "
    switch operand {
    case .list: return word + text(operand)
    case .path(let path): return (path.isToMany ? word : "") + text(path)
    case .count(let path):
      let isMany = path.end == .object ? path.hops.dropLast().contains { $0.isToMany } : path.hasManyTargets
      return (isMany ? word : "") + text(operand)
    case .arithmetic(let left, let operation, let right):
      return "(\(quantified(left, quantifier)) \(operation.word) \(quantified(right, quantifier)))"
    case .constant, .elementAggregate, .targetAggregate, .subquery, .incomingLinks: return text(operand)
    }
  }

  private func text(_ operand: Operand) -> String {
    switch operand {
    case .constant(let constant): text(constant)
    case .list(let constants): "{\(constants.map { text($0) }.joined(separator: ", "))}"
    case .path(let path): text(path)
    case .count(let path): "\(text(path)).@count"
    case .elementAggregate(let function, let path): "\(text(path)).\(function.word)"
    case .targetAggregate(let function, let path): aggregate(function, path)
    case .subquery(let subquery):
      "SUBQUERY(\(text(subquery.path)), $x, \(text(subquery.predicate, isOperand: false))).@count"
    case .incomingLinks(let path, _): path.hops.isEmpty ? "@links.@count" : "\(text(path)).@links.@count"
    case .arithmetic(let left, let operation, let right): "(\(text(left)) \(operation.word) \(text(right)))"
    }
  }

  private func aggregate(_ function: AggregateFunction, _ path: KeyPath) -> String {
    let names = elements(path)
    let objects = names.dropLast().joined(separator: ".").replacing(".[", with: "[")
    return "\(objects).\(function.word).\(names.last ?? "")"
  }

  private func text(_ query: FullTextQuery) -> String {
    let words = query.included.map { $0.text + ($0.isPrefix ? "*" : "") }
    return (words + query.excluded.map { "-" + $0.text + ($0.isPrefix ? "*" : "") }).joined(separator: " ")
  }

  private func text(_ region: Region) -> String {
    switch region {
    case .box(let first, let second): "geoBox(\(text(first)), \(text(second)))"
    case .circle(let center, let radius): "geoCircle(\(text(center)), \(radius))"
    case .polygon(let rings):
      "geoPolygon(\(rings.map { "{\($0.map { text($0) }.joined(separator: ", "))}" }.joined(separator: ", ")))"
    }
  }

  private func text(_ point: Region.Point) -> String { "[\(point.longitude), \(point.latitude)]" }
}

/// Paths.
extension PredicateText {
  func text(_ path: KeyPath) -> String {
    elements(path).joined(separator: ".").replacing(".[", with: "[")
  }

  private func elements(_ path: KeyPath) -> [String] {
    var type = schema[path.objectType]
    var elements: [String] = []
    for hop in path.hops {
      elements += self.elements(hop.route, type)
      type = schema[hop.target]
    }
    return elements + self.elements(path.end, type)
  }

  private func elements(_ route: Hop.Route, _ type: ObjectType?) -> [String] {
    switch route {
    case .link(let property), .elements(let property): [name(property, type)]
    case .element(let property, let position): [name(property, type), text(position)]
    case .entry(let property, let key): [name(property, type), "[\(quoted(key.text))]"]
    case .linkingObjects(let objectType, let property):
      ["@links", objectType, name(property, schema[objectType])]
    }
  }

  private func elements(_ end: KeyPath.End, _ type: ObjectType?) -> [String] {
    switch end {
    case .object: []
    case .key: ["_key"]
    case .value(let property), .elements(let property): [name(property, type)]
    case .nested(let property, let steps): [name(property, type)] + steps.map { text($0) }
    case .nestedElements(let property, let steps): [name(property, type), "[*]"] + steps.map { text($0) }
    case .element(let property, let position, let steps):
      [name(property, type), text(position)] + steps.map { text($0) }
    case .entry(let property, let key, let steps) where property == type?.fieldsIndex:
      // A field that is hidden has a key that begins with a point.
      [escaped(key.text.first == "." ? String(key.text.dropFirst()) : key.text)] + steps.map { text($0) }
    case .entry(let property, let key, let steps):
      [name(property, type), "[\(quoted(key.text))]"] + steps.map { text($0) }
    case .keys(let property): [name(property, type), "@keys"]
    case .function(let function, let end, _): elements(end, type) + [function.word]
    }
  }

  private func name(_ property: Int, _ type: ObjectType?) -> String {
    escaped(type?.properties[property].name ?? "")
  }

  private func escaped(_ name: String) -> String {
    name.map { character in
      switch character {
      case " ": "\\ "
      case "\n": "\\n"
      case "\r": "\\r"
      case "\t": "\\t"
      default: String(character)
      }
    }.joined()
  }

  private func text(_ position: Position) -> String {
    switch position {
    case .at(let index): "[\(index)]"
    case .last: "[LAST]"
    }
  }

  private func text(_ step: KeyPath.Step) -> String {
    switch step {
    case .position(let position): text(position)
    case .key(let key): "[\(quoted(key.text))]"
    case .all: "[*]"
    case .keys: "@keys"
    }
  }
}

/// Constants.
extension PredicateText {
  private func text(_ constant: Constant) -> String {
    switch constant {
    case .value(let value): text(value)
    case .object(let objectType, let primaryKey): "obj(\(quoted(objectType)), \(text(primaryKey)))"
    case .types(let types): quoted(types.name)
    }
  }

  private func text(_ value: Mixed) -> String {
    switch value {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    case .float(let value): value.isFinite ? "\(value)f" : text(.double(Double(value)))
    case .double(let value):
      value.isNaN ? "NaN" : value.isInfinite ? (value < 0 ? "-inf" : "inf") : "\(value)"
    case .decimal128(let value): value.description
    case .string(let value): quoted(value)
    case .data(let bytes): "binary(B64\"\(Base64.encode(bytes))\")"
    case .date(let date): text(date)
    case .objectID(let value): "oid(\(value))"
    case .uuid(let value): "uuid(\(value))"
    case .link(let link): "obj(\(quoted(link.objectType)), \(link.key.value))"
    case .list(let elements): "{\(elements.map { text($0) }.joined(separator: ", "))}"
    case .nullIdentifier: "null"
    case .dictionary: "{}"
    }
  }

  /// Seconds and nanoseconds of the same sign.
  private func text(_ date: Date) -> String {
    if date.seconds < 0, date.nanoseconds > 0 {
      return "T\(date.seconds + 1):-\(1_000_000_000 - date.nanoseconds)"
    }
    return "T\(date.seconds):\(date.nanoseconds)"
  }

  private func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"": "\\\""
      case "\\": "\\\\"
      case "\n": "\\n"
      case "\r": "\\r"
      case "\t": "\\t"
      default: String(scalar)
      }
    }
    return "\"\(escaped.joined())\""
  }
}
