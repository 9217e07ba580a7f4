import GatehouseBSON

extension ObjectEditor {
  mutating func increase(_ path: EditPath, by amount: Mixed) throws(ActionError) {
    guard case .value(let present) = try draft(of: value(at: path), as: path.type) else {
      throw .edit(.valueUnsuitable)
    }
    try set(ObjectEditor.sum(present, amount), at: path)
  }

  private static func sum(_ left: Mixed, _ right: Mixed) throws(ActionError) -> Value {
    switch (left, right) {
    case (.int(let left), .int(let right)):
      let (sum, overflow) = left.addingReportingOverflow(right)
      guard !overflow else { throw .rule(.overflow) }
      return .int64(sum)
    case (.float(let left), .float(let right)): return .double(Double(left + right))
    // Mixed values: as in the query language, the more capable type wins.
    case (.decimal128(let left), _):
      guard let right = right.decimal else { throw .edit(.valueUnsuitable) }
      return .decimal128(left + right)
    case (_, .decimal128(let right)):
      guard let left = left.decimal else { throw .edit(.valueUnsuitable) }
      return .decimal128(left + right)
    default:
      guard let left = left.binary, let right = right.binary else { throw .edit(.valueUnsuitable) }
      return .double(left + right)
    }
  }

  /// Writes the bound where the value is on its wrong side, or null.
  mutating func clamp(_ path: EditPath, to bound: Mixed, writtenAs given: Value, sign: Int)
    throws(ActionError)
  {
    switch path.steps.last {
    // An entry of a map that is not there yet is one without a value.
    case .key?, .any?: if (try? value(at: path)) == nil { return try set(given, at: path) }
    case .property?, .index?, .end?, nil: break
    }
    guard case .value(let present) = try draft(of: value(at: path), as: path.type) else {
      throw .edit(.valueUnsuitable)
    }
    if present == .null { return try set(given, at: path) }
    guard MixedOrder.isComparable(present, bound) else { throw .edit(.valueUnsuitable) }
    if MixedOrder.compare(bound, present) * sign > 0 { try set(given, at: path) }
  }

  mutating func push(_ new: [Value], at path: EditPath, _ position: Int?) throws(ActionError) {
    var values = try array(at: path)
    guard !new.isEmpty else { return }
    let count = values.count
    let place = position.map { $0 < 0 ? max(0, count + max($0, -count)) : min($0, count) } ?? count
    values.insert(contentsOf: new, at: place)
    try set(.array(values), at: path)
  }

  mutating func addToSet(_ new: [Value], at path: EditPath) throws(ActionError) {
    var values = try array(at: path)
    let type = path.elementType ?? .one(.mixed, optional: true)
    var members = Members(type)
    for value in values { members.insert(try draft(of: value, as: type)) }
    let count = values.count
    for value in new {
      let draft = try draft(of: value, as: type)
      try spend(members.comparisons)
      if members.contains(draft) { continue }
      members.insert(draft)
      values.append(value)
    }
    if values.count > count { try set(.array(values), at: path) }
  }

  /// Values among which others are looked for.
  private struct Members {
    private let isExact: Bool
    private var drafts: [DraftValue] = []
    private var index: Set<DraftValue> = []

    init(_ type: PropertyType) {
      isExact =
        switch type {
        case .one(let element, _): element.isExact
        case .list, .set, .map, .linkingObjects: false
        }
    }

    /// How many values one look takes.
    var comparisons: Int { isExact ? 1 : 4 * drafts.count }

    mutating func insert(_ draft: DraftValue) {
      if isExact { index.insert(draft) } else { drafts.append(draft) }
    }

    func contains(_ draft: DraftValue) -> Bool {
      isExact ? index.contains(draft) : drafts.contains { $0.isSame(as: draft) }
    }
  }

  mutating func pull(_ old: DraftValue, at path: EditPath) throws(ActionError) {
    let values = try array(at: path)
    let type = path.elementType ?? .one(.mixed, optional: true)
    var rest: [Value] = []
    for value in values where try !draft(of: value, as: type).isSame(as: old) { rest.append(value) }
    if rest.count < values.count { try set(.array(rest), at: path) }
  }

  private func array(at path: EditPath) throws(ActionError) -> [Value] {
    guard case .array(let values) = try value(at: path) else { throw .edit(.valueUnsuitable) }
    return values
  }
}

extension Mixed {
  fileprivate var binary: Double? {
    switch self {
    case .int(let int): Double(int)
    case .float(let float): Double(float)
    case .double(let double): double
    default: nil
    }
  }

  fileprivate var decimal: Decimal128? {
    switch self {
    case .int(let int): Decimal128(int)
    case .decimal128(let decimal): decimal
    default: nil
    }
  }
}

extension ElementType {
  /// Whether values of the type are the same only where they are equal: numbers have several spellings, and objects
  /// parts.
  fileprivate var isExact: Bool {
    switch self {
    case .bool, .int, .string, .data, .date, .objectID, .uuid: true
    case .float, .double, .decimal128, .mixed, .object: false
    }
  }
}

extension DraftValue {
  /// Whether both mean the same; numbers are compared by value (RFC 6902 §4.6).
  func isSame(as other: DraftValue, isSet: Bool = false) -> Bool {
    switch (self, other) {
    case (.value(let left), .value(let right)): MixedOrder.isEqual(left, right)
    case (.list(let left), .list(let right)) where isSet: Set(left) == Set(right)
    case (.list(let left), .list(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
    case (.map(let left), .map(let right)):
      left.count == right.count
        && zip(left, right).allSatisfy { $0.key.compareBytes($1.key) == 0 && $0.value.isSame(as: $1.value) }
    default: self == other
    }
  }
}
