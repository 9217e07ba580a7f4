import GatehouseBSON

/// An operator of an update, with its operand.
enum UpdateOperation: Sendable {
  case set(Value)
  case setOnInsert(Value)
  case unset
  case increment(Number)
  case multiply(Number)
  case minimum(Value)
  case maximum(Value)
  case rename(from: UpdatePath)
  case currentDate(isTimestamp: Bool)
  case push(ArrayInsertion)
  case addToSet([Value])
  case pop(isFirst: Bool)
  case pull(PullCondition)
  case pullAll([Value])
  case bits([Bits])

  /// An operation of `$bit`.
  struct Bits: Sendable {
    enum Kind: String, Sendable {
      case and, or, xor
    }

    let kind: Kind
    let operand: Value
  }

  /// Whether a path that is not there comes into being.
  var creates: Bool {
    switch self {
    case .unset, .pop, .pull, .pullAll: false
    default: true
    }
  }
}

/// The operand of `$push`.
struct ArrayInsertion: Sendable {
  var values: [Value] = []
  /// Nil: at the end; negative: counted from there.
  var position: Int?
  var slice: Int?
  var order: ElementOrder?
  /// Whether only one value is pushed, without modifiers.
  var isSimple = true

  init(_ value: Value) throws(DocumentsError) {
    guard let document = value.asDocument, document["$each"] != nil else {
      values = [value]
      return
    }
    isSimple = false
    for element in document.elements {
      switch element.key {
      case "$each":
        guard case .array(let values) = element.value else {
          throw .badValue(
            "The argument to $each in $push must be an array but it was of type: \(element.value.typeName)")
        }
        self.values = values
      case "$position": position = try Self.integer(element)
      case "$slice": slice = try Self.integer(element)
      case "$sort": order = try ElementOrder(element.value)
      default: throw .badValue("Unrecognized clause in $push: \(element.key)")
      }
    }
  }

  private static func integer(_ element: Document.Element) throws(DocumentsError) -> Int {
    guard element.value.isNumber, let integer = element.value.asInteger else {
      throw .badValue(
        "The value for \(element.key) must be an integer value but was given type: \(element.value.typeName)")
    }
    return Int(max(-(1 << 31), min(1 << 31, integer)))
  }

  func apply(to array: [Value]) -> [Value] {
    var result = array
    var place = result.count
    if let position { place = position < 0 ? max(0, result.count + position) : min(position, result.count) }
    result.insert(contentsOf: values, at: place)
    if let order { result = order.sorted(result) {} }
    guard let slice else { return result }
    return Array(slice < 0 ? result.suffix(-slice) : result.prefix(slice))
  }
}

/// The operand of `$pull`: which elements go.
enum PullCondition: Sendable {
  case value(Value)
  case document(Filter)
  case element(Filter.Node)

  init(_ value: Value) throws(DocumentsError) {
    if case .regularExpression(let expression) = value {
      self = .element(.test([], .matches(try PatternTest(expression))))
    } else if let document = value.asDocument {
      if let first = document.elements.first?.key, first.hasPrefix("$"),
        !["$and", "$or", "$nor", "$ref", "$id", "$db"].contains(first)
      {
        var parser = FilterParser()
        self = .element(try parser.elementOperators(document))
      } else {
        self = .document(try Filter(document))
      }
    } else {
      self = .value(value)
    }
  }

  func holds(for element: Value, in scope: Scope) throws(DocumentsError) -> Bool {
    switch self {
    case .value(let value): return ValueOrder.isEqual(value, element)
    case .document(let filter):
      guard let document = element.asDocument else { return false }
      return try filter.matches(document, in: scope)
    case .element(let node):
      var matching = FilterMatching(scope: scope)
      return try matching.holds(node, for: element)
    }
  }
}
