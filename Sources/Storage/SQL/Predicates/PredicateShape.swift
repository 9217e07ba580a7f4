import GatehouseModel
import GatehouseQuery

/// A predicate without its constants: predicates of one shape have one condition in SQL, with other values bound.
enum PredicateShape: Hashable {
  case all([PredicateShape])
  case any([PredicateShape])
  indirect case not(PredicateShape)
  indirect case unguarded(PredicateShape)
  case comparison(ComparisonShape)
  /// A predicate without constants of its own, or with none that another could replace.
  case exact(Predicate)

  /// The shape of a predicate, whose constants are appended in the order in which ``PredicateCompiler`` meets them.
  init(_ predicate: Predicate, _ constants: inout [ShapedConstant]) {
    switch predicate {
    case .all(let predicates): self = .all(predicates.map { PredicateShape($0, &constants) })
    case .any(let predicates):
      self = .any(predicates.mergingEqualities.map { PredicateShape($0, &constants) })
    case .not(let predicate): self = .not(PredicateShape(predicate, &constants))
    case .comparison(let comparison):
      guard let shape = ComparisonShape(comparison) else {
        self = .exact(predicate)
        return
      }
      shape.append(to: &constants)
      self = .comparison(shape)
    case .fullText, .within: self = .exact(predicate)
    case .unguarded(let predicate): self = .unguarded(PredicateShape(predicate, &constants))
    }
  }
}

/// A path beside a constant, or a list of them, without the constants.
///
/// It holds a comparison that has the shape, so that one is made, and compared, without a list of what it leaves out.
struct ComparisonShape {
  private let comparison: Comparison

  /// Nil for any other comparison, and for constants that are spelled in their own way.
  init?(_ comparison: Comparison) {
    guard case .path = comparison.left else { return nil }
    let relation = comparison.relation
    switch comparison.right {
    case .constant(.value(let value)):
      guard let kind = ShapedConstant.Kind(value, in: relation), kind != .null else { return nil }
    case .list(let constants):
      for constant in constants where constant.kind(in: relation) == nil { return nil }
    case .constant, .path, .count, .elementAggregate, .targetAggregate, .subquery,
      .incomingLinks, .arithmetic:
      return nil
    }
    self.comparison = comparison
  }

  /// How many constants are left out.
  var constantCount: Int {
    if case .list(let constants) = comparison.right { constants.count } else { 1 }
  }

  /// Appends the constants that are left out.
  fileprivate func append(to constants: inout [ShapedConstant]) {
    guard case .path(let path) = comparison.left else { return }
    // A map's keys are strings whatever its values are.
    let type: ElementType = if case .keys = path.end { .string } else { path.type }
    switch comparison.right {
    case .constant(let constant): constants.append(ShapedConstant(value: constant.value, type: type))
    case .list(let list): constants += list.map { ShapedConstant(value: $0.value, type: type) }
    case .path, .count, .elementAggregate, .targetAggregate, .subquery, .incomingLinks,
      .arithmetic:
      break
    }
  }
}

extension ComparisonShape: Hashable {
  static func == (first: Self, second: Self) -> Bool {
    let (first, second) = (first.comparison, second.comparison)
    return first.relation == second.relation && first.matching == second.matching && first.nan == second.nan
      && first.left == second.left && haveSameKinds(first.right, second.right, in: first.relation)
  }

  private static func haveSameKinds(
    _ first: Operand, _ second: Operand, in relation: Comparison.Relation
  ) -> Bool {
    switch (first, second) {
    case (.constant(let first), .constant(let second)): first.kind(in: relation) == second.kind(in: relation)
    case (.list(let first), .list(let second)):
      first.count == second.count
        && zip(first, second).allSatisfy { $0.kind(in: relation) == $1.kind(in: relation) }
    default: false
    }
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(comparison.left)
    hasher.combine(comparison.relation)
    hasher.combine(comparison.matching)
    hasher.combine(comparison.nan)
    switch comparison.right {
    case .constant(let constant): hasher.combine(constant.kind(in: comparison.relation))
    case .list(let constants):
      for constant in constants { hasher.combine(constant.kind(in: comparison.relation)) }
    case .path, .count, .elementAggregate, .targetAggregate, .subquery, .incomingLinks,
      .arithmetic:
      break
    }
  }
}

extension Constant {
  fileprivate var value: Mixed {
    if case .value(let value) = self { value } else { .null }
  }

  fileprivate func kind(in relation: Comparison.Relation) -> ShapedConstant.Kind? {
    if case .value(let value) = self { ShapedConstant.Kind(value, in: relation) } else { nil }
  }
}

extension Predicate {
  /// How many constants the shape of the predicate leaves out.
  var shapedConstantCount: Int {
    var constants: [ShapedConstant] = []
    _ = PredicateShape(self, &constants)
    return constants.count
  }
}

extension Comparison {
  /// How many constants the shape of the comparison leaves out.
  var shapedConstantCount: Int {
    ComparisonShape(self)?.constantCount ?? 0
  }
}

/// A constant that a shape leaves out, and the type of the path that it stands beside.
struct ShapedConstant {
  /// The part of a constant that the condition depends on: null is spelled differently, and each type compares its way.
  enum Kind: Hashable {
    case null, bool, int, float, double, decimal128, string, data, date, objectID, uuid
    /// A prefix behind which there is no other of its length.
    case lastPrefix

    /// Nil for what a column has in no way of its own, and for NaN.
    init?(_ value: Mixed, in relation: Comparison.Relation) {
      switch value {
      case .null: self = .null
      case .bool: self = .bool
      case .int: self = .int
      case .float(let value) where !value.isNaN: self = .float
      case .double(let value) where !value.isNaN: self = .double
      case .decimal128: self = .decimal128
      case .string(let text):
        if case .beginsWith = relation, text.isLastPrefix { self = .lastPrefix } else { self = .string }
      case .data: self = .data
      case .date: self = .date
      case .objectID: self = .objectID
      case .uuid: self = .uuid
      case .float, .double, .link, .list, .dictionary: return nil
      }
    }
  }

  let value: Mixed
  let type: ElementType

  /// Returns the value that a statement binds for it; nil where no single value of such a column compares with it.
  func binding(_ form: SQLText.Argument.Form) -> SQLText.Binding? {
    switch (form, value) {
    case (.value, _): SQLText.Binding(value, comparedWith: type)
    case (.text, .string(let text)): .text(text)
    case (.encoded, _): .blob(value.encoded)
    case (.sortKey, _): .blob(value.sortKey)
    case (.raw, _): SQLText.Binding(raw: value)
    case (.folded, .string(let text)): .text(text.folded)
    case (.end, .string(let text)): text.endOfPrefix.map { .text($0) }
    case (.foldedEnd, .string(let text)): text.folded.endOfPrefix.map { .text($0) }
    case (.field(let bound), _): .blob(FieldKey.bound(bound, for: value))
    case (.text, _), (.folded, _), (.end, _), (.foldedEnd, _): nil
    }
  }
}

extension Mixed {
  /// The bytes that a mixed column has for values without a storage class of SQLite.
  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    MixedCoding.append(self, to: &bytes)
    return bytes
  }
}

extension Mixed {
  /// The bytes that stand for the value's place in the order of mixed values; none for null.
  var sortKey: [UInt8] {
    var bytes: [UInt8] = []
    if self != .null { MixedSortKey.append(self, to: &bytes) }
    return bytes
  }
}

extension String {
  /// The text that an index with folded case has.
  var folded: String {
    String(decoding: TextMatch.folded(Array(utf8)), as: UTF8.self)
  }
}
