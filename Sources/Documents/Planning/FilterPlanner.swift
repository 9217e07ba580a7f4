import GatehouseBSON
import GatehouseModel
import GatehouseQuery

/// Translates conditions on properties that are no collections into predicates. Documents have such a property as null, or
/// as a value of its type; nothing is translated whose meaning could differ, such as numbers beside decimals.
struct FilterPlanner {
  let type: ObjectType
  /// The most values of an `$in` that become comparisons; of more, the evaluator has a table.
  static let mostValues = 256

  /// A predicate that holds wherever the condition does.
  struct Part {
    let predicate: Predicate
    let isExact: Bool

    static let unknown = Part(predicate: .always, isExact: false)
    static let never = Part(predicate: .never, isExact: true)
  }

  func part(of node: Filter.Node) -> Part {
    switch node {
    case .all(let nodes):
      let parts = nodes.map(part)
      let known = parts.filter { $0.isExact || $0.predicate != .always }
      return Part(predicate: .all(known.map(\.predicate)), isExact: parts.allSatisfy(\.isExact))
    case .any(let nodes):
      let parts = nodes.map(part)
      if parts.contains(where: { !$0.isExact && $0.predicate == .always }) { return .unknown }
      return Part(predicate: .any(parts.map(\.predicate)), isExact: parts.allSatisfy(\.isExact))
    case .not(let node):
      let part = part(of: node)
      return part.isExact ? Part(predicate: .not(part.predicate), isExact: true) : .unknown
    case .test(let path, let test):
      if let index = type.fieldIndex(of: path) { return fieldPart(of: test, by: index) }
      guard path.count == 1, let (index, element) = type.single(path[0]) else { return .unknown }
      return part(of: test, on: index, element)
    case .text(let search): return words(search)
    case .expression: return .unknown
    }
  }

  /// Objects that have one of the words in one of the texts that are indexed for them.
  private func words(_ search: TextSearch) -> Part {
    var parts: [Predicate] = []
    for (index, property) in type.properties.enumerated() where property.index == .fullText {
      guard case .one(.string, _) = property.type else { return .unknown }
      let path = KeyPath(objectType: type.name, hops: [], end: .value(property: index), type: .string)
      for word in search.words {
        parts.append(
          .fullText(
            path, FullTextQuery(included: [FullTextQuery.Word(text: word, isPrefix: false)], excluded: [])))
      }
    }
    return Part(predicate: .any(parts), isExact: false)
  }

  private func part(of test: ValueTest, on index: Int, _ element: ElementType) -> Part {
    switch test {
    case .compare(let relation, let value): return comparison(relation, value, on: (index, element))
    case .among(let set):
      if !set.patterns.isEmpty || set.values.count > Self.mostValues { return .unknown }
      let parts = set.values.map { comparison(.equal, $0, on: (index, element)) }
      if parts.contains(where: { !$0.isExact && $0.predicate == .always }) { return .unknown }
      return Part(predicate: .any(parts.map(\.predicate)), isExact: parts.allSatisfy(\.isExact))
    case .matches(let pattern): return prefix(pattern, (index, element))
    case .exists, .hasType, .modulo, .bits, .size, .elementDocument, .element, .schema, .geo, .near:
      return .unknown
    }
  }

  private func relate(
    _ index: Int, _ element: ElementType, by relation: Comparison.Relation, to value: Mixed
  ) -> Predicate {
    let path = KeyPath(objectType: type.name, hops: [], end: .value(property: index), type: element)
    return .comparison(
      Comparison(.path(path), relation: relation, .constant(.value(value)), nan: .unordered))
  }

  private func comparison(
    _ relation: ValueTest.Relation, _ value: Value, on property: (index: Int, element: ElementType)
  ) -> Part {
    let (index, element) = property
    switch value {
    case .null:
      // Links and mixed values are for the evaluator, but for identifiers.
      guard isPlain(element) else {
        return element == .mixed && index == type.primaryKeyIndex
          ? identifiers(relation, value, on: index) : .unknown
      }
      return relation == .equal || relation == .lessOrEqual || relation == .greaterOrEqual
        ? Part(predicate: relate(index, element, by: .equal(caseSensitive: true), to: .null), isExact: true)
        : .never
    case .minKey, .maxKey, .undefined: return .unknown
    default: break
    }
    switch element {
    case .int: return integers(relation, value, on: index)
    case .double: return doubles(relation, value, on: index)
    case .string:
      guard case .string(let text) = value else { return value.text == nil ? .never : .unknown }
      return Part(
        predicate: relate(index, element, by: Self.relation(relation), to: .string(text)), isExact: true)
    case .bool, .objectID, .uuid: return identities(relation, value, on: property)
    case .date: return dates(relation, value, on: index)
    case .mixed where index == type.primaryKeyIndex: return identifiers(relation, value, on: index)
    case .float, .decimal128, .data, .mixed, .object: return .unknown
    }
  }

  /// Identifiers of any type. Exact are only those of which no other value is equal to them in one of the two
  /// languages and not in the other.
  private func identifiers(_ relation: ValueTest.Relation, _ value: Value, on index: Int) -> Part {
    guard relation == .equal else { return .unknown }
    switch value {
    case .bool, .int32, .int64, .string, .objectID, .uuid:
      guard let identifier = Mixed(value) else { return .unknown }
      return Part(
        predicate: relate(index, .mixed, by: .equal(caseSensitive: true), to: identifier), isExact: true)
    case .null, .document, .binary, .timestamp, .regularExpression, .javaScript, .javaScriptWithScope,
      .dbPointer:
      guard let identifier = Mixed(identifying: value) else { return .unknown }
      return Part(
        predicate: relate(index, .mixed, by: .equal(caseSensitive: true), to: identifier), isExact: false)
    default: return .unknown
    }
  }

  private func isPlain(_ element: ElementType) -> Bool {
    switch element {
    case .bool, .int, .float, .double, .decimal128, .string, .data, .date, .objectID, .uuid: true
    case .mixed, .object: false
    }
  }

  static func relation(_ relation: ValueTest.Relation) -> Comparison.Relation {
    switch relation {
    case .equal: .equal(caseSensitive: true)
    case .less: .less
    case .lessOrEqual: .lessOrEqual
    case .greater: .greater
    case .greaterOrEqual: .greaterOrEqual
    }
  }

  /// A number that is no int becomes the next one on the right side.
  private func integers(_ relation: ValueTest.Relation, _ value: Value, on index: Int) -> Part {
    guard value.isNumber else { return .never }
    if let integer = value.asInteger {
      return Part(
        predicate: relate(index, .int, by: Self.relation(relation), to: .int(integer)), isExact: true)
    }
    guard case .double(let double) = value, abs(double) < 0x1p62 else { return .unknown }
    switch relation {
    case .equal: return .never
    case .less, .lessOrEqual:
      let floor = Int64(double.rounded(.down))
      return Part(predicate: relate(index, .int, by: .lessOrEqual, to: .int(floor)), isExact: true)
    case .greater, .greaterOrEqual:
      let ceiling = Int64(double.rounded(.up))
      return Part(predicate: relate(index, .int, by: .greaterOrEqual, to: .int(ceiling)), isExact: true)
    }
  }

  private func doubles(_ relation: ValueTest.Relation, _ value: Value, on index: Int) -> Part {
    guard value.isNumber else { return .never }
    if case .decimal128 = value { return .unknown }
    guard let double = value.asDouble, !double.isNaN, value.asInteger == Int64(exactly: double) else {
      return .unknown
    }
    return Part(
      predicate: relate(index, .double, by: Self.relation(relation), to: .double(double)), isExact: true)
  }

  private func identities(
    _ relation: ValueTest.Relation, _ value: Value, on property: (index: Int, element: ElementType)
  ) -> Part {
    let mixed: Mixed? =
      switch (property.element, value) {
      case (.bool, .bool(let bool)): .bool(bool)
      case (.objectID, .objectID(let id)): .objectID(id)
      case (.uuid, .uuid(let uuid)): .uuid(uuid)
      default: nil
      }
    guard let mixed else {
      // A UUID is a binary, which others are as well.
      return property.element == .uuid && value.binary != nil ? .unknown : .never
    }
    guard relation == .equal else { return .unknown }
    return Part(
      predicate: relate(property.index, property.element, by: .equal(caseSensitive: true), to: mixed),
      isExact: true)
  }

  /// Stored dates have nanoseconds, and documents may show them cut to milliseconds: all of a millisecond may be equal.
  private func dates(_ relation: ValueTest.Relation, _ value: Value, on index: Int) -> Part {
    guard case .date(let date) = value else { return .never }
    let milliseconds = date.milliseconds
    guard Date(milliseconds: milliseconds) == date, milliseconds < .max else { return .unknown }
    let next = Mixed.date(Date(milliseconds: milliseconds + 1))
    let isBefore = relate(index, .date, by: .less, to: next)
    switch relation {
    case .equal:
      return Part(
        predicate: .all([relate(index, .date, by: .greaterOrEqual, to: .date(date)), isBefore]),
        isExact: false)
    case .less: return Part(predicate: relate(index, .date, by: .less, to: .date(date)), isExact: true)
    case .lessOrEqual: return Part(predicate: isBefore, isExact: false)
    case .greater:
      return Part(predicate: relate(index, .date, by: .greaterOrEqual, to: .date(date)), isExact: false)
    case .greaterOrEqual:
      return Part(predicate: relate(index, .date, by: .greaterOrEqual, to: .date(date)), isExact: true)
    }
  }

  /// A pattern that begins with a text at the beginning, such as `/^abc/`.
  private func prefix(_ test: PatternTest, _ property: (index: Int, element: ElementType)) -> Part {
    guard property.element == .string, let (text, isWhole) = test.literalPrefix else { return .unknown }
    return Part(
      predicate: relate(property.index, .string, by: .beginsWith(caseSensitive: true), to: .string(text)),
      isExact: isWhole)
  }
}

extension PatternTest {
  /// The text that each match begins with, and whether nothing else is asked.
  var literalPrefix: (text: String, isWhole: Bool)? {
    guard expression.options.isEmpty, expression.pattern.first == "^", !expression.pattern.contains("|")
    else {
      return nil
    }
    var text = ""
    var rest = expression.pattern.unicodeScalars.dropFirst()
    while let scalar = rest.first,
      scalar.isWord || " -_/@".unicodeScalars.contains(scalar) || scalar.value >= 0x80
    {
      text.unicodeScalars.append(scalar)
      rest = rest.dropFirst()
    }
    // A quantifier is about the last character.
    if let next = rest.first, "*?{".unicodeScalars.contains(next), !text.isEmpty {
      text.unicodeScalars.removeLast()
    }
    return text.isEmpty ? nil : (text, rest.isEmpty)
  }
}
