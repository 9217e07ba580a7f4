import GatehouseBSON

/// `$jsonSchema`: the keywords of JSON Schema's draft 4 that MongoDB takes, with `bsonType`.
///
/// A keyword holds for values of other types than its own, and for what is missing.
final class SchemaTest: Sendable {
  private let types: TypeTest?
  private let values: [Value]?
  private let minimum: (value: Value, isExclusive: Bool)?
  private let maximum: (value: Value, isExclusive: Bool)?
  private let multiple: Number?
  private let lengths: Range<Int>?
  private let pattern: Pattern?
  private let counts: Range<Int>?
  private let isUnique: Bool
  private let items: SchemaTest?
  private let places: [SchemaTest]
  private let furtherItems: Further
  private let memberCounts: Range<Int>?
  private let required: [String]
  private let properties: [(name: String, schema: SchemaTest)]
  private let patterns: [(pattern: Pattern, schema: SchemaTest)]
  private let furtherProperties: Further
  private let dependencies: [(name: String, needs: [String], schema: SchemaTest?)]
  private let all: [SchemaTest]
  private let any: [SchemaTest]?
  private let one: [SchemaTest]?
  private let not: SchemaTest?

  /// The rule for members or elements that are not named.
  private enum Further {
    case anything
    case nothing
    case schema(SchemaTest)
  }

  private static let keywords: Set<String> = [
    "bsonType", "type", "enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "items", "additionalItems",
    "minProperties", "maxProperties", "required", "properties", "patternProperties", "additionalProperties",
    "dependencies", "allOf", "anyOf", "oneOf", "not", "title", "description",
  ]

  init(_ value: Value, depth: Int = 0) throws(DocumentsError) {
    guard let schema = value.asDocument else {
      throw .typeMismatch("$jsonSchema must be an object")
    }
    if depth > 100 { throw .badValue("$jsonSchema is nested deeper than 100 levels") }
    for element in schema.elements where !Self.keywords.contains(element.key) {
      throw .failedToParse("Unknown $jsonSchema keyword: \(element.key)")
    }
    types = try Self.types(schema)
    values = schema["enum"]?.asArray
    minimum = Self.bound(schema, "minimum", exclusive: "exclusiveMinimum")
    maximum = Self.bound(schema, "maximum", exclusive: "exclusiveMaximum")
    multiple = schema["multipleOf"].flatMap { Number($0) }
    lengths = try Self.range(schema, "minLength", to: "maxLength")
    counts = try Self.range(schema, "minItems", to: "maxItems")
    memberCounts = try Self.range(schema, "minProperties", to: "maxProperties")
    if case .string(let text)? = schema["pattern"] {
      pattern = try Pattern(text, options: "")
    } else {
      pattern = nil
    }
    isUnique = schema["uniqueItems"].isTrue
    if let list = schema["items"]?.asArray {
      places = try list.mapped { value throws(DocumentsError) in try SchemaTest(value, depth: depth + 1) }
      items = nil
    } else {
      places = []
      items = try Self.inner(schema["items"], depth)
    }
    furtherItems = try Self.further(schema["additionalItems"], depth)
    furtherProperties = try Self.further(schema["additionalProperties"], depth)
    required = (schema["required"]?.asArray ?? []).compactMap(\.text)
    let members = schema["properties"]?.asDocument?.elements ?? []
    properties = try members.mapped { member throws(DocumentsError) in
      (member.key, try SchemaTest(member.value, depth: depth + 1))
    }
    let named = schema["patternProperties"]?.asDocument?.elements ?? []
    patterns = try named.mapped { member throws(DocumentsError) in
      (try Pattern(member.key, options: ""), try SchemaTest(member.value, depth: depth + 1))
    }
    let needs = schema["dependencies"]?.asDocument?.elements ?? []
    dependencies = try needs.mapped { member throws(DocumentsError) in
      let names = member.value.asArray?.compactMap(\.text)
      return (member.key, names ?? [], names == nil ? try SchemaTest(member.value, depth: depth + 1) : nil)
    }
    all = try Self.list(schema["allOf"], depth) ?? []
    any = try Self.list(schema["anyOf"], depth)
    one = try Self.list(schema["oneOf"], depth)
    not = try Self.inner(schema["not"], depth)
  }

  private static func inner(_ value: Value?, _ depth: Int) throws(DocumentsError) -> SchemaTest? {
    guard let value else { return nil }
    return try SchemaTest(value, depth: depth + 1)
  }

  private static func list(_ value: Value?, _ depth: Int) throws(DocumentsError) -> [SchemaTest]? {
    guard let values = value?.asArray else { return nil }
    return try values.mapped { value throws(DocumentsError) in try SchemaTest(value, depth: depth + 1) }
  }

  private static func further(_ value: Value?, _ depth: Int) throws(DocumentsError) -> Further {
    switch value {
    case nil, .bool(true)?: .anything
    case .bool(false)?: .nothing
    case let value?: .schema(try SchemaTest(value, depth: depth + 1))
    }
  }

  private static func types(_ schema: Document) throws(DocumentsError) -> TypeTest? {
    if let type = schema["bsonType"] { return try TypeTest(type) }
    guard let type = schema["type"] else { return nil }
    let names = try (type.asArray ?? [type]).mapped { type throws(DocumentsError) -> Value in
      guard case .string(let name) = type,
        ["object", "array", "string", "number", "boolean", "null"].contains(name)
      else { throw .badValue("$jsonSchema type must be one of object, array, string, number, boolean, null") }
      return .string(name == "boolean" ? "bool" : name)
    }
    return try TypeTest(.array(names))
  }

  private static func bound(_ schema: Document, _ name: String, exclusive: String) -> (
    value: Value, isExclusive: Bool
  )? {
    schema[name].map { ($0, schema[exclusive].isTrue) }
  }

  private static func range(_ schema: Document, _ least: String, to most: String) throws(DocumentsError)
    -> Range<Int>?
  {
    if schema[least] == nil, schema[most] == nil { return nil }
    let low = schema[least]?.asInteger ?? 0
    let high = schema[most]?.asInteger ?? Int64(Int32.max)
    guard low >= 0, high >= 0 else { throw .failedToParse("\(least) and \(most) must not be negative") }
    // It is empty where the least is above the most.
    return Int(low)..<max(Int(low), Int(min(high, Int64(Int32.max))) + 1)
  }

  func holds(for value: Value?) -> Bool {
    guard let value else { return true }
    if let types, !types.holds(for: value) { return false }
    if let values, !values.contains(where: { ValueOrder.isEqual($0, value) }) { return false }
    return holdsForNumber(value) && holdsForText(value) && holdsForArray(value) && holdsForDocument(value)
      && all.allSatisfy { $0.holds(for: value) } && any?.contains { $0.holds(for: value) } ?? true
      && (one.map { one in one.count { $0.holds(for: value) } == 1 } ?? true)
      && !(not?.holds(for: value) ?? false)
  }

  private func holdsForNumber(_ value: Value) -> Bool {
    guard value.isNumber else { return true }
    if let minimum {
      let order = ValueOrder.compare(value, minimum.value)
      if minimum.isExclusive ? order <= 0 : order < 0 { return false }
    }
    if let maximum {
      let order = ValueOrder.compare(value, maximum.value)
      if maximum.isExclusive ? order >= 0 : order > 0 { return false }
    }
    if let multiple, let number = Number(value) {
      return (number % multiple).map { NumberOrder.compare($0.value, .int32(0)) == 0 } ?? false
    }
    return true
  }

  private func holdsForText(_ value: Value) -> Bool {
    guard case .string(let text) = value else { return true }
    if let lengths, !lengths.contains(text.unicodeScalars.count) { return false }
    return pattern?.matches(text) ?? true
  }

  private func holdsForArray(_ value: Value) -> Bool {
    guard case .array(let elements) = value else { return true }
    if let counts, !counts.contains(elements.count) { return false }
    if isUnique, Set(elements.map { ValueKey($0) }).count < elements.count { return false }
    if let items { return elements.allSatisfy { items.holds(for: $0) } }
    for (element, schema) in zip(elements, places) where !schema.holds(for: element) { return false }
    guard !places.isEmpty, elements.count > places.count else { return true }
    switch furtherItems {
    case .anything: return true
    case .nothing: return false
    case .schema(let schema): return elements.dropFirst(places.count).allSatisfy { schema.holds(for: $0) }
    }
  }

  private func holdsForDocument(_ value: Value) -> Bool {
    guard case .document(let document) = value else { return true }
    if let memberCounts, !memberCounts.contains(document.elements.count) { return false }
    if required.contains(where: { document[$0] == nil }) { return false }
    for property in properties where !property.schema.holds(for: document[property.name]) { return false }
    for dependency in dependencies where document[dependency.name] != nil {
      if dependency.needs.contains(where: { document[$0] == nil }) { return false }
      if let schema = dependency.schema, !schema.holds(for: value) { return false }
    }
    return document.elements.allSatisfy(holdsForMember)
  }

  private func holdsForMember(_ element: Document.Element) -> Bool {
    let matching = patterns.filter { $0.pattern.matches(element.key) }
    if matching.contains(where: { !$0.schema.holds(for: element.value) }) { return false }
    if !matching.isEmpty || properties.contains(where: { $0.name.hasSameBytes(as: element.key) }) {
      return true
    }
    switch furtherProperties {
    case .anything: return true
    case .nothing: return false
    case .schema(let schema): return schema.holds(for: element.value)
    }
  }
}
