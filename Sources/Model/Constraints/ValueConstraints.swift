import GatehouseBSON

/// The rules for values of one property, their own values read as those of the property.
public struct ValueConstraints: Sendable {
  /// The rules as the schema spells them.
  public let spelt: Property.Constraints
  /// The values that there are; nil: any of the type.
  public let allowed: [Mixed]?
  private let minimum: Mixed?
  private let maximum: Mixed?

  /// Nil: the property has none, but perhaps values that must be unique. The schema is valid.
  public init?(_ property: Property) {
    guard let spelt = property.constraints, spelt.hasValueRules, let (_, element, _) = property.type.stored
    else { return nil }
    var reader = InputReader(schema: Schema([]))
    self.spelt = spelt
    allowed = spelt.allowed?.compactMap { reader.scalar($0, as: element) }
    minimum = spelt.minimum.flatMap { reader.scalar($0, as: element) }
    maximum = spelt.maximum.flatMap { reader.scalar($0, as: element) }
  }

  /// Returns the rule that a value breaks, or an element of a collection; nil: none. Null breaks none.
  public func brokenRule(by value: Mixed) -> Constraint? {
    if value == .null { return nil }
    if let allowed, !allowed.contains(where: { MixedOrder.isEqual($0, value) }) {
      return .allowed(spelt.allowed ?? [])
    }
    if !isInRange(value) { return .range(minimum: spelt.minimum, maximum: spelt.maximum) }
    if !spelt.length.isEmpty, let (length, isText) = value.length, !spelt.length.contains(length) {
      return .length(spelt.length, ofText: isText)
    }
    return nil
  }

  /// Returns the rule that so many elements break; nil: none.
  public func brokenRule(byCount count: Int) -> Constraint? {
    spelt.count.contains(count) ? nil : .count(spelt.count)
  }

  /// NaN is in no range.
  private func isInRange(_ value: Mixed) -> Bool {
    if minimum == nil, maximum == nil { return true }
    if value.isNaN { return false }
    return minimum.map { MixedOrder.compare($0, value) <= 0 } ?? true
      && maximum.map { MixedOrder.compare(value, $0) <= 0 } ?? true
  }
}

extension Mixed {
  /// Unicode scalars of a text, as JSON Schema counts, and bytes of data; nil for anything else.
  fileprivate var length: (count: Int, isText: Bool)? {
    switch self {
    case .string(let text): (text.unicodeScalars.count, true)
    case .data(let bytes): (bytes.count, false)
    default: nil
    }
  }

  var isNaN: Bool {
    switch self {
    case .float(let value): value.isNaN
    case .double(let value): value.isNaN
    case .decimal128(let value): value.isNaN
    default: false
    }
  }
}

extension DraftValue {
  /// Returns the rules that a value of a property breaks, or its elements.
  func brokenRules(of constraints: ValueConstraints) -> [Constraint] {
    switch self {
    case .value(let value): constraints.brokenRule(by: value).map { [$0] } ?? []
    case .list(let elements):
      [constraints.brokenRule(byCount: elements.count)].compactMap(\.self)
        + elements.flatMap { $0.brokenRules(of: constraints) }
    case .map(let entries):
      [constraints.brokenRule(byCount: entries.count)].compactMap(\.self)
        + entries.flatMap { $0.value.brokenRules(of: constraints) }
    case .link, .embedded: []
    }
  }
}
