import GatehouseBSON

/// Reads filters.
struct FilterParser {
  private var depth = 0
  private(set) var hasExpressions = false
  /// Whether the filter that is read stands inside of `$elemMatch`.
  private var isInElement = false
  /// Whether it stands where not all of its conditions have to hold.
  private var isInBranch = false
  /// The condition on distances, of which there is one at the most.
  private(set) var near: Filter.Near?
  /// The variables that `$expr` may name.
  private let variables: Set<String>

  static let depthLimit = 100

  init(variables: Set<String> = []) { self.variables = variables }

  mutating func parse(_ document: Document) throws(DocumentsError) -> Filter.Node {
    depth += 1
    defer { depth -= 1 }
    if depth > FilterParser.depthLimit {
      throw .badValue("the filter is nested deeper than \(FilterParser.depthLimit) levels")
    }
    var nodes: [Filter.Node] = []
    for element in document.elements {
      if element.key.utf8.first == UInt8(ascii: "$"), !Self.isReference(element.key) {
        if let node = try topLevel(element.key, element.value) { nodes.append(node) }
      } else {
        nodes.append(try field(try FieldPath.split(element.key), element.value))
      }
    }
    return nodes.count == 1 ? nodes[0] : .all(nodes)
  }

  /// The members of a DBRef are fields.
  private static func isReference(_ key: String) -> Bool { ["$ref", "$id", "$db"].contains(key) }

  private mutating func topLevel(_ name: String, _ value: Value) throws(DocumentsError) -> Filter.Node? {
    switch name {
    case "$and": return .all(try list(name, value))
    case "$or": return .any(try branches(name, value))
    case "$nor": return .not(.any(try branches(name, value)))
    case "$comment": return nil
    case "$alwaysTrue": return .all([])
    case "$alwaysFalse": return .any([])
    case "$expr":
      if isInElement { throw .badValue("$expr can only be applied to the top-level document") }
      hasExpressions = true
      var parser = ExpressionParser(variables: variables)
      return .expression(try parser.parse(value))
    case "$jsonSchema": return .test([], .schema(try SchemaTest(value)))
    case "$text":
      if isInElement || isInBranch { throw .badValue("$text must be at the top level of the filter") }
      return .text(try TextSearch(value))
    case "$where", "$sampleRate":
      throw DocumentsError(.commandNotSupported, "\(name) is not supported")
    default:
      throw .badValue(
        "unknown top level operator: \(name). If you have a field name that starts with a '$' symbol, consider using $getField or $setField."
      )
    }
  }

  private mutating func branches(_ name: String, _ value: Value) throws(DocumentsError) -> [Filter.Node] {
    let outside = isInBranch
    isInBranch = true
    defer { isInBranch = outside }
    return try list(name, value)
  }

  private mutating func list(_ name: String, _ value: Value) throws(DocumentsError) -> [Filter.Node] {
    guard case .array(let values) = value else { throw .badValue("\(name) must be an array") }
    if values.isEmpty { throw .badValue("$and/$or/$nor must be a nonempty array") }
    var nodes: [Filter.Node] = []
    for value in values {
      guard let document = value.asDocument else {
        throw .badValue("$or/$and/$nor entries need to be full objects")
      }
      nodes.append(try parse(document))
    }
    return nodes
  }

  /// Whether a value stands for operators and not for itself.
  private static func isOperators(_ value: Value) -> Document? {
    guard let document = value.asDocument, let first = document.elements.first,
      first.key.utf8.first == UInt8(ascii: "$"), !isReference(first.key)
    else { return nil }
    return document
  }

  private mutating func field(_ path: [String], _ value: Value) throws(DocumentsError) -> Filter.Node {
    if let document = Self.isOperators(value) { return try operators(path, document) }
    return .test(path, try equality(value))
  }

  private func equality(_ value: Value) throws(DocumentsError) -> ValueTest {
    if case .regularExpression(let expression) = value { return .matches(try PatternTest(expression)) }
    if case .undefined = value { throw .badValue("cannot compare to undefined") }
    return .compare(.equal, value)
  }

  private mutating func operators(_ path: [String], _ document: Document) throws(DocumentsError)
    -> Filter.Node
  {
    depth += 1
    defer { depth -= 1 }
    if depth > FilterParser.depthLimit {
      throw .badValue("the filter is nested deeper than \(FilterParser.depthLimit) levels")
    }
    var nodes: [Filter.Node] = []
    for element in document.elements {
      if let node = try operation(path, element, in: document) { nodes.append(node) }
    }
    return nodes.count == 1 ? nodes[0] : .all(nodes)
  }

  private mutating func operation(
    _ path: [String], _ element: Document.Element, in document: Document
  ) throws(DocumentsError) -> Filter.Node? {
    let value = element.value
    switch element.key {
    case "$eq":
      if case .undefined = value { throw .badValue("cannot compare to undefined") }
      return .test(path, .compare(.equal, value))
    case "$ne":
      if case .regularExpression = value { throw .badValue("Can't have regex as arg to $ne.") }
      if case .undefined = value { throw .badValue("cannot compare to undefined") }
      return .not(.test(path, .compare(.equal, value)))
    case "$lt": return .test(path, try comparison(.less, element))
    case "$lte": return .test(path, try comparison(.lessOrEqual, element))
    case "$gt": return .test(path, try comparison(.greater, element))
    case "$gte": return .test(path, try comparison(.greaterOrEqual, element))
    case "$in": return .test(path, try among("$in", value))
    case "$nin": return .not(.test(path, try among("$nin", value)))
    case "$not":
      let outside = isInBranch
      isInBranch = true
      defer { isInBranch = outside }
      return .not(try negated(path, value))
    case "$exists": return Optional(value).isTrue ? .test(path, .exists) : .not(.test(path, .exists))
    case "$type": return .test(path, .hasType(try TypeTest(value)))
    case "$mod": return .test(path, try modulo(value))
    case "$regex": return .test(path, .matches(try regex(value, in: document)))
    case "$options":
      if document["$regex"] == nil { throw .badValue("$options needs a $regex") }
      return nil
    case "$size": return .test(path, .size(try size(value)))
    case "$all": return try all(path, value)
    case "$elemMatch": return .test(path, try elementMatch(value))
    case "$bitsAllSet": return .test(path, .bits(.allSet, try BitMask(value, element.key)))
    case "$bitsAnySet": return .test(path, .bits(.anySet, try BitMask(value, element.key)))
    case "$bitsAllClear": return .test(path, .bits(.allClear, try BitMask(value, element.key)))
    case "$bitsAnyClear": return .test(path, .bits(.anyClear, try BitMask(value, element.key)))
    case "$comment": return nil
    case "$geoWithin", "$within": return .test(path, .geo(try GeoRegion(within: value, element.key)))
    case "$geoIntersects": return .test(path, .geo(try GeoRegion(intersecting: value)))
    case "$near", "$nearSphere": return try distance(path, element, in: document)
    case "$maxDistance", "$minDistance":
      if document["$near"] == nil, document["$nearSphere"] == nil {
        throw .badValue("\(element.key) needs a $near or $nearSphere")
      }
      return nil
    default: throw .badValue("unknown operator: \(element.key)")
    }
  }

  private func comparison(_ relation: ValueTest.Relation, _ element: Document.Element) throws(DocumentsError)
    -> ValueTest
  {
    if case .regularExpression = element.value {
      throw .badValue("Can't have RegEx as arg to predicate over field.")
    }
    if case .undefined = element.value { throw .badValue("cannot compare to undefined") }
    return .compare(relation, element.value)
  }

  private func among(_ name: String, _ value: Value) throws(DocumentsError) -> ValueTest {
    guard case .array(let values) = value else { throw .badValue("\(name) needs an array") }
    var (others, patterns): ([Value], [PatternTest]) = ([], [])
    for value in values {
      if Self.isOperators(value) != nil { throw .badValue("cannot nest $ under \(name)") }
      if case .undefined = value { throw .badValue("InMatchExpression equality cannot be undefined") }
      if case .regularExpression(let expression) = value {
        patterns.append(try PatternTest(expression))
      } else {
        others.append(value)
      }
    }
    return .among(ValueSet(others, patterns: patterns))
  }

  private mutating func negated(_ path: [String], _ value: Value) throws(DocumentsError) -> Filter.Node {
    if case .regularExpression(let expression) = value {
      return .test(path, .matches(try PatternTest(expression)))
    }
    guard let document = value.asDocument else { throw .badValue("$not needs a regex or a document") }
    if document.elements.isEmpty { throw .badValue("$not cannot be empty") }
    guard Self.isOperators(value) != nil else {
      throw .badValue("unknown operator: \(document.elements.first?.key ?? "")")
    }
    return try operators(path, document)
  }

  private func modulo(_ value: Value) throws(DocumentsError) -> ValueTest {
    guard case .array(let values) = value else { throw .badValue("malformed mod, needs to be an array") }
    if values.count < 2 { throw .badValue("malformed mod, not enough elements") }
    if values.count > 2 { throw .badValue("malformed mod, too many elements") }
    guard values[0].isNumber else { throw .badValue("malformed mod, divisor value is not a number") }
    guard values[1].isNumber else { throw .badValue("malformed mod, remainder not a number") }
    guard let divisor = integer(values[0]), let remainder = integer(values[1]) else {
      throw .badValue("malformed mod, divisor or remainder is not an integer")
    }
    if divisor == 0 { throw .badValue("divisor cannot be 0") }
    return .modulo(divisor, remainder)
  }

  /// Numbers are cut to integers.
  private func integer(_ value: Value) -> Int64? {
    guard let double = value.asDouble, double.isFinite else { return nil }
    return value.asInteger ?? Int64(exactly: double.rounded(.towardZero))
  }

  private func regex(_ value: Value, in document: Document) throws(DocumentsError) -> PatternTest {
    var options: String?
    if let given = document["$options"] {
      guard case .string(let text) = given else { throw .badValue("$options has to be a string") }
      options = text
    }
    switch value {
    case .string(let pattern):
      return try PatternTest(RegularExpression(pattern: pattern, options: options ?? ""))
    case .regularExpression(let expression):
      if options != nil, !expression.options.isEmpty {
        throw .at(51075, "options set in both $regex and $options")
      }
      return try PatternTest(
        RegularExpression(pattern: expression.pattern, options: options ?? expression.options))
    default: throw .badValue("$regex has to be a string")
    }
  }

  private func size(_ value: Value) throws(DocumentsError) -> Int {
    guard value.isNumber else {
      throw .failedToParse("Failed to parse $size. Expected a number in: $size")
    }
    guard let size = value.asInteger else {
      throw .failedToParse("Failed to parse $size. Expected an integer: $size")
    }
    if size < 0 { throw .failedToParse("Failed to parse $size. Expected a non-negative number in: $size") }
    return Int(min(size, Int64(Int32.max)))
  }

  private mutating func all(_ path: [String], _ value: Value) throws(DocumentsError) -> Filter.Node {
    guard case .array(let values) = value else { throw .badValue("$all needs an array") }
    if values.isEmpty { return .any([]) }
    var nodes: [Filter.Node] = []
    let isMatch = values.first.flatMap { Self.isOperators($0)?.elements.first?.key } == "$elemMatch"
    for value in values {
      if isMatch {
        guard let document = value.asDocument, document.elements.first?.key == "$elemMatch",
          let operand = document["$elemMatch"]
        else { throw .badValue("$all/$elemMatch has to be consistent") }
        nodes.append(.test(path, try elementMatch(operand)))
      } else {
        if Self.isOperators(value) != nil { throw .badValue("no $ expressions in $all") }
        nodes.append(.test(path, try equality(value)))
      }
    }
    return nodes.count == 1 ? nodes[0] : .all(nodes)
  }

  private mutating func distance(
    _ path: [String], _ element: Document.Element, in document: Document
  ) throws(DocumentsError) -> Filter.Node {
    if isInElement || isInBranch || near != nil { throw .badValue("geo $near must be top-level expr") }
    let test = try GeoNear(element.key, element.value, beside: document)
    near = Filter.Near(path: path, near: test)
    return .test(path, .near(test))
  }

  private mutating func elementMatch(_ value: Value) throws(DocumentsError) -> ValueTest {
    guard let document = value.asDocument else { throw .badValue("$elemMatch needs an Object") }
    let outside = isInElement
    isInElement = true
    defer { isInElement = outside }
    // Logical operators are conditions on documents, all others on elements themselves.
    if let operators = Self.isOperators(value), let first = operators.elements.first?.key,
      !["$and", "$or", "$nor", "$where", "$expr", "$jsonSchema", "$comment"].contains(first)
    {
      return .element(try self.operators([], operators))
    }
    return .elementDocument(try parse(document))
  }

  /// Reads the operators that `$pull` compares elements with.
  mutating func elementOperators(_ document: Document) throws(DocumentsError) -> Filter.Node {
    try operators([], document)
  }
}
