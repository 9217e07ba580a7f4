import Model
import Query

/// A predicate without its constants: predicates of one shape have one condition in SQL, with other values bound.
enum PredicateShape: Hashable {
  case all([PredicateShape])
  case any([PredicateShape])
  indirect case not(PredicateShape)
  case comparison(ComparisonShape)
  /// What has no constants of its own, or none that another could take the place of.
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
      constants += comparison.shapedConstants
      self = .comparison(shape)
    case .fullText, .within: self = .exact(predicate)
    }
  }
}

/// A path beside a constant, or a list of them, without the constants.
struct ComparisonShape: Hashable {
  let path: KeyPath
  let relation: Comparison.Relation
  let matching: Comparison.Matching
  let nan: Comparison.NaNRule
  let isList: Bool
  let kinds: [ShapedConstant.Kind]

  /// Nil for any other comparison, and for constants that are spelled in their own way.
  init?(_ comparison: Comparison) {
    guard case .path(let path) = comparison.left else { return nil }
    self.path = path
    relation = comparison.relation
    matching = comparison.matching
    nan = comparison.nan
    switch comparison.right {
    case .constant(.value(let value)):
      guard let kind = ShapedConstant.Kind(value, in: relation), kind != .null else { return nil }
      isList = false
      kinds = [kind]
    case .list(let constants):
      var kinds: [ShapedConstant.Kind] = []
      for constant in constants {
        guard case .value(let value) = constant, let kind = ShapedConstant.Kind(value, in: relation) else {
          return nil
        }
        kinds.append(kind)
      }
      isList = true
      self.kinds = kinds
    case .constant, .path, .count, .size, .type, .elementAggregate, .targetAggregate, .subquery, .arithmetic:
      return nil
    }
  }
}

extension Comparison {
  /// How many constants the shape of the comparison leaves out.
  var shapedConstantCount: Int {
    ComparisonShape(self)?.kinds.count ?? 0
  }

  fileprivate var shapedConstants: [ShapedConstant] {
    guard case .path(let path) = left else { return [] }
    // A map's keys are strings whatever its values are.
    let type: ElementType = if case .keys = path.end { .string } else { path.type }
    switch right {
    case .constant(.value(let value)): return [ShapedConstant(value: value, type: type)]
    case .list(let constants):
      return constants.map { constant in
        guard case .value(let value) = constant else { return ShapedConstant(value: .null, type: type) }
        return ShapedConstant(value: value, type: type)
      }
    case .constant, .path, .count, .size, .type, .elementAggregate, .targetAggregate, .subquery, .arithmetic:
      return []
    }
  }
}

/// A constant that a shape leaves out, and the type of the path that it stands beside.
struct ShapedConstant {
  /// What the condition depends on: null is spelled differently, and each type compares its way.
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
        if case .beginsWith = relation, text.endOfPrefix == nil { self = .lastPrefix } else { self = .string }
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

  /// What a statement binds for it; nil where no single value of such a column compares with it.
  func binding(_ form: SQLText.Argument.Form) -> SQLText.Binding? {
    switch (form, value) {
    case (.value, _): SQLText.Binding(value, comparedWith: type)
    case (.text, .string(let text)): .text(text)
    case (.encoded, _): .blob(value.encoded)
    case (.raw, _): SQLText.Binding(raw: value)
    case (.folded, .string(let text)): .text(text.folded)
    case (.end, .string(let text)): text.endOfPrefix.map { .text($0) }
    case (.foldedEnd, .string(let text)): text.folded.endOfPrefix.map { .text($0) }
    case (.text, _), (.folded, _), (.end, _), (.foldedEnd, _): nil
    }
  }
}

extension Mixed {
  /// As a mixed column has what SQLite has no storage class for.
  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    MixedCoding.append(self, to: &bytes)
    return bytes
  }
}

extension String {
  /// As an index of texts with their case folded has it.
  var folded: String {
    String(decoding: TextMatch.folded(Array(utf8)), as: UTF8.self)
  }
}
