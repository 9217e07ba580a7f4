import GatehouseModel
import GatehouseQuery

/// The entries of an index of documents among which those of all objects are that a predicate may hold for. Whether it does
/// is asked of each of them.
struct FieldLookup {
  /// An interval of places.
  struct Range {
    fileprivate(set) var first: SQLText
    fileprivate(set) var last: SQLText
    /// Whether an end is that of all values of the type.
    let isFromStart: Bool
    let isToEnd: Bool

    init(_ first: FieldKey.Bound, _ last: FieldKey.Bound, of value: Mixed, at place: Int) {
      func end(_ bound: FieldKey.Bound) -> SQLText {
        "\(argument: .blob(FieldKey.bound(bound, for: value)), of: place, as: .field(bound))"
      }
      self.first = end(first)
      self.last = end(last)
      isFromStart = first == .start
      isToEnd = last == .end
    }

    private init(from first: Range, to last: Range) {
      self.first = first.first
      self.last = last.last
      isFromStart = first.isFromStart
      isToEnd = last.isToEnd
    }

    /// The part of both, or one of them.
    func intersection(_ other: Range) -> Range {
      if isToEnd, other.isFromStart { return Range(from: self, to: other) }
      if isFromStart, other.isToEnd { return Range(from: other, to: self) }
      return self
    }
  }

  let index: ObjectType.Index
  /// Places of single values.
  var points: [SQLText] = []
  var ranges: [Range] = []
  /// Types whose values have one place.
  var marks: Set<Mixed.Rank> = []

  /// The most statements that the entries are found by.
  private static let mostParts = 16

  /// The entries of any of several lookups of one index; nil where they are too many.
  static func union(_ lookups: [FieldLookup]) -> FieldLookup? {
    guard var union = lookups.first else { return nil }
    for lookup in lookups.dropFirst() {
      union.points += lookup.points
      union.ranges += lookup.ranges
      union.marks.formUnion(lookup.marks)
    }
    return union.ranges.count + union.marks.count <= mostParts ? union : nil
  }

  /// The entries of two lookups of one index, or a few more.
  func intersection(_ other: FieldLookup) -> FieldLookup {
    var both = self
    guard points.isEmpty, other.points.isEmpty, ranges.count == 1, other.ranges.count == 1 else {
      return self
    }
    both.ranges = [ranges[0].intersection(other.ranges[0])]
    both.marks.formIntersection(other.marks)
    return both
  }

  /// A statement of the objects' keys, each once or more often.
  func keys(in table: TableLayout) -> SQLText? {
    guard let key = index.keys.first, let field = key.path.first else { return nil }
    let layout = table.properties[key.property]
    let place: SQLText = "\(raw: table.fieldOrder("f.value", of: index))"
    var tests: [SQLText] = []
    if !points.isEmpty { tests.append("\(place) IN (\(SQLText.joined(points, ", ")))") }
    tests += ranges.map { "\(place) BETWEEN \($0.first) AND \($0.last)" }
    tests += marks.sorted { $0.rawValue < $1.rawValue }.map {
      "\(place) = \(bind: .blob(FieldKey.mark($0)))"
    }
    // The field is spelt out, so that SQLite knows that the index has all of them.
    return SQLText.joined(
      tests.map {
        "SELECT f.owner FROM \(raw: layout.child) AS f WHERE f.key = \(raw: literal(field.text)) AND \($0)"
      }, " UNION ALL ")
  }
}

extension Predicate {
  /// Returns how an index of documents finds the objects that the predicate may hold for; nil: it does not. `first`: the place
  /// of its first constant among those of the plan; nil: they belong to it for good.
  func lookup(in index: ObjectType.Index, constants first: Int?) -> FieldLookup? {
    switch self {
    case .comparison(let comparison): return comparison.lookup(in: index)?.numbered(from: first)
    case .unguarded(let predicate): return predicate.lookup(in: index, constants: first)
    case .all(let predicates):
      let found = Self.lookups(predicates, in: index, first).compactMap(\.self)
      guard let lookup = found.first else { return nil }
      return found.dropFirst().reduce(lookup) { $0.intersection($1) }
    case .any(let predicates):
      var found: [FieldLookup] = []
      for lookup in Self.lookups(predicates.mergingEqualities, in: index, first) {
        guard let lookup else { return nil }
        found.append(lookup)
      }
      return FieldLookup.union(found)
    case .not, .fullText, .within: return nil
    }
  }

  private static func lookups(
    _ predicates: [Predicate], in index: ObjectType.Index, _ first: Int?
  ) -> [FieldLookup?] {
    var first = first
    return predicates.map { predicate in
      let lookup = predicate.lookup(in: index, constants: first)
      first = first.map { $0 + predicate.shapedConstantCount }
      return lookup
    }
  }
}

extension Comparison {
  /// The most values of an `IN`.
  private static let mostPoints = 256

  fileprivate func lookup(in index: ObjectType.Index) -> FieldLookup? {
    guard case .path(let path) = left, case .quantified(.any, .any, _) = matching, path.hops.isEmpty else {
      return nil
    }
    var lookup = FieldLookup(index: index)
    switch (path.end, right) {
    case (.function(.type, let end, _), .constant(.types(let types))):
      guard relation == .equal(caseSensitive: true), types == TypeSet(.list),
        let names = end.names(from: index), index.path.starts(with: names)
      else { return nil }
      lookup.marks = names.count > 1 ? [.list, .link] : [.list]
      return lookup
    case (let end, .constant(.value(let value))):
      guard let names = end.names(from: index), names == index.path, value.isScalar else { return nil }
      switch relation {
      case .equal(caseSensitive: true):
        if value.hasOnePlace {
          lookup.points = [Self.point(value, at: 0)]
        } else {
          lookup.ranges = [FieldLookup.Range(.first, .last, of: value, at: 0)]
        }
      case .less, .lessOrEqual: lookup.ranges = [FieldLookup.Range(.start, .last, of: value, at: 0)]
      case .greater, .greaterOrEqual: lookup.ranges = [FieldLookup.Range(.first, .end, of: value, at: 0)]
      case .beginsWith(caseSensitive: true):
        guard case .string = value else { return nil }
        lookup.ranges = [FieldLookup.Range(.firstPrefixed, .lastPrefixed, of: value, at: 0)]
      case .equal, .notEqual, .beginsWith, .endsWith, .contains, .like: return nil
      }
      if names.count > 1 { lookup.marks = [.link] }
      return lookup
    case (let end, .list(let constants)):
      guard relation == .equal(caseSensitive: true), let names = end.names(from: index), names == index.path,
        !constants.isEmpty, constants.count <= Self.mostPoints
      else { return nil }
      for (place, constant) in constants.enumerated() {
        guard case .value(let value) = constant, value.isScalar, value.hasOnePlace else { return nil }
        lookup.points.append(Self.point(value, at: place))
      }
      if names.count > 1 { lookup.marks = [.link] }
      return lookup
    default: return nil
    }
  }

  private static func point(_ value: Mixed, at place: Int) -> SQLText {
    "\(argument: .blob(FieldKey.bound(.first, for: value)), of: place, as: .field(.first))"
  }
}

extension FieldLookup {
  fileprivate func numbered(from first: Int?) -> FieldLookup {
    var lookup = self
    lookup.points = points.map { $0.numbered(from: first) }
    lookup.ranges = ranges.map { $0.numbered(from: first) }
    return lookup
  }
}

extension FieldLookup.Range {
  fileprivate func numbered(from first: Int?) -> Self {
    var range = self
    range.first = self.first.numbered(from: first)
    range.last = last.numbered(from: first)
    return range
  }
}

extension KeyPath.End {
  /// The names that lead to a field, where nothing but names does.
  fileprivate func names(from index: ObjectType.Index) -> [ExactText]? {
    guard case .entry(let property, let key, let steps) = self, property == index.keys.first?.property else {
      return nil
    }
    var names = [key]
    for step in steps {
      guard case .key(let name) = step else { return nil }
      names.append(name)
    }
    return names
  }
}

extension Mixed {
  /// Whether it is one value that has an order among others: no collection, no link, and not null or NaN.
  fileprivate var isScalar: Bool {
    switch self {
    case .bool, .int, .string, .data, .date, .objectID, .uuid: true
    case .float, .double, .decimal128: !isNaN
    case .null, .link, .list, .dictionary: false
    }
  }
}
