import GatehouseBSON

extension Property.Constraints {
  static let mostAllowedValues = 256
}

extension Property {
  /// The rules for schemas that the property's rules for values break. Embedded objects do not tell when they changed: they are a part
  /// of the object that does.
  func brokenConstraintRules(in objectType: ObjectType) -> [SchemaRule] {
    if isUpdateTime {
      guard case .one(.date, _) = type, !objectType.isEmbedded else { return [.memberNotAllowed("onUpdate")] }
    }
    guard let constraints, constraints.hasValueRules, let (container, element, _) = type.stored else {
      return []
    }
    var rules: [SchemaRule] = []
    func refuse(_ name: String, unless isLegal: Bool, _ isGiven: Bool) -> Bool {
      if isGiven, !isLegal { rules.append(.memberNotAllowed(name)) }
      return isGiven && isLegal
    }
    if refuse("enum", unless: element.isEnumerable, constraints.allowed != nil) {
      rules += Self.illegalValues(constraints.allowed ?? [], element)
    }
    var bounds: [Mixed] = []
    for (name, value) in [("minimum", constraints.minimum), ("maximum", constraints.maximum)] {
      guard refuse(name, unless: element.isBounded, value != nil), let value else { continue }
      let (bound, problems) = Self.read(value, as: element)
      rules += problems.map { .illegalConstraint(name, $0) }
      if let bound { bounds.append(bound) }
    }
    if bounds.count == 2, MixedOrder.compare(bounds[0], bounds[1]) > 0 {
      rules.append(.contradictoryConstraint("minimum"))
    }
    let counts = [
      ("Length", constraints.length, element == .string || element == .data),
      ("Items", constraints.count, container != .one),
    ]
    for (name, bounds, isLegal) in counts {
      _ = refuse("min\(name)", unless: isLegal, bounds.minimum != nil)
      _ = refuse("max\(name)", unless: isLegal, bounds.maximum != nil)
      if bounds.minimum ?? 0 > bounds.maximum ?? .max { rules.append(.contradictoryConstraint("min\(name)")) }
    }
    return rules
  }

  private static func illegalValues(_ values: [Value], _ element: ElementType) -> [SchemaRule] {
    if values.isEmpty { return [.contradictoryConstraint("enum")] }
    let limit = Constraints.mostAllowedValues
    if values.count > limit { return [.tooManyAllowedValues(limit: limit)] }
    return values.flatMap { read($0, as: element).problems.map { .illegalConstraint("enum", $0) } }
  }

  /// NaN is no bound, and equals nothing.
  private static func read(
    _ value: Value, as element: ElementType
  ) -> (value: Mixed?, problems: [ValidationProblem]) {
    var reader = InputReader(schema: Schema([]))
    let read = reader.scalar(value, as: element)
    if read?.isNaN == true { reader.report(.outOfRange(element)) }
    return (reader.problems.isEmpty ? read : nil, reader.problems)
  }

  /// The problems of a default that the property's own rules forbid.
  func problems(ofDefault value: DraftValue, of objectType: String) -> [ValidationProblem] {
    guard let constraints = ValueConstraints(self) else { return [] }
    return value.brokenRules(of: constraints).map {
      ValidationProblem(pointer: "", .constraint($0, objectType: objectType))
    }
  }
}

extension ElementType {
  /// Whether a property can name its values one by one.
  fileprivate var isEnumerable: Bool {
    switch self {
    case .bool, .int, .float, .double, .decimal128, .string, .date, .objectID, .uuid: true
    case .data, .mixed, .object: false
    }
  }

  /// Whether values have a least and a greatest one.
  fileprivate var isBounded: Bool {
    switch self {
    case .int, .float, .double, .decimal128, .date: true
    case .bool, .string, .data, .objectID, .uuid, .mixed, .object: false
    }
  }
}
