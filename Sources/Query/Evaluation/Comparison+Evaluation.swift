internal import GatehouseBSON
package import GatehouseModel

extension Comparison {
  func holds<Object: ObjectView>(for object: Object) -> Bool {
    if let answer = ownPropertyHolds(for: object) { return answer }
    let (left, right) = (left.values(of: object), right.values(of: object))
    let isOfTypes = isOfTypes
    func test(_ left: Mixed, _ right: Mixed) -> Bool {
      isOfTypes ? relation.overlaps(left, right) : relation.holds(left, right, nan: nan)
    }
    return left.contains { left in right.contains { holds(between: left, and: $0, for: object, test) } }
  }

  private func holds<Object: ObjectView>(
    between left: [Mixed], and right: [Mixed], for object: Object, _ test: (Mixed, Mixed) -> Bool
  ) -> Bool {
    switch matching {
    case .quantified(let first, let second, .left):
      first.holds(for: left) { left in
        object.mayContinue(after: right.count) && second.holds(for: right) { test(left, $0) }
      }
    case .quantified(let first, let second, .right):
      second.holds(for: right) { right in
        object.mayContinue(after: left.count) && first.holds(for: left) { test($0, right) }
      }
    case .ordered:
      if left.count == right.count { zip(left, right).allSatisfy(test) } else { relation.isNotEqual }
    }
  }
}

extension Comparison.Relation {
  fileprivate var isNotEqual: Bool {
    if case .notEqual = self { true } else { false }
  }

  /// Types are equal if they have one in common.
  fileprivate func overlaps(_ left: Mixed, _ right: Mixed) -> Bool {
    guard case .int(let first) = left, case .int(let second) = right else { return false }
    return (first & second != 0) != isNotEqual
  }

  /// Whether two values relate so.
  package func holds(_ left: Mixed, _ right: Mixed, nan: Comparison.NaNRule) -> Bool {
    if case .int(let left) = left, case .int(let right) = right {
      switch self {
      case .equal(caseSensitive: true): return left == right
      case .notEqual(caseSensitive: true): return left != right
      case .less: return left < right
      case .greater: return left > right
      case .lessOrEqual: return left <= right
      case .greaterOrEqual: return left >= right
      case .equal, .notEqual, .beginsWith, .endsWith, .contains, .like: break
      }
    }
    if case .string(let left) = left, case .string(let right) = right {
      switch self {
      case .equal(caseSensitive: true): return left.hasSameBytes(as: right)
      case .notEqual(caseSensitive: true): return !left.hasSameBytes(as: right)
      case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .beginsWith, .endsWith,
        .contains,
        .like:
        break
      }
    }
    return holdsGenerally(left, right, nan: nan)
  }

  private func holdsGenerally(_ left: Mixed, _ right: Mixed, nan: Comparison.NaNRule) -> Bool {
    switch self {
    case .equal(caseSensitive: true): Self.areEqual(left, right, nan: nan)
    case .notEqual(caseSensitive: true): !Self.areEqual(left, right, nan: nan)
    case .less: Self.order(left, right, nan: nan).map { $0 < 0 } ?? false
    case .greater: Self.order(left, right, nan: nan).map { $0 > 0 } ?? false
    case .lessOrEqual: Self.order(left, right, nan: nan).map { $0 <= 0 } ?? false
    case .greaterOrEqual: Self.order(left, right, nan: nan).map { $0 >= 0 } ?? false
    case .equal(caseSensitive: false): TextMatch.equalFolded(left, right)
    case .notEqual(caseSensitive: false): !TextMatch.equalFolded(left, right)
    case .beginsWith(let caseSensitive): TextMatch.begins(left, right, caseSensitive: caseSensitive)
    case .endsWith(let caseSensitive): TextMatch.ends(left, right, caseSensitive: caseSensitive)
    case .contains(let caseSensitive): TextMatch.contains(left, right, caseSensitive: caseSensitive)
    case .like(let caseSensitive): TextMatch.like(left, right, caseSensitive: caseSensitive)
    }
  }

  private static func areEqual(_ left: Mixed, _ right: Mixed, nan: Comparison.NaNRule) -> Bool {
    switch nan {
    case .lowest: MixedOrder.isEqual(left, right)
    case .unordered: !left.isNaN && !right.isNaN && MixedOrder.isEqual(left, right)
    }
  }

  /// Nil where the values have no order: types of different ranks, null beside a value.
  private static func order(_ left: Mixed, _ right: Mixed, nan: Comparison.NaNRule) -> Int? {
    guard MixedOrder.isComparable(left, right) else { return nil }
    if nan == .unordered, left.isNaN || right.isNaN { return nil }
    return MixedOrder.compare(left, right)
  }
}

extension Mixed {
  package var isNaN: Bool {
    switch self {
    case .float(let value): value.isNaN
    case .double(let value): value.isNaN
    case .decimal128(let value): value.isNaN
    case .null, .bool, .int, .string, .data, .date, .objectID, .uuid, .link, .list, .dictionary: false
    }
  }
}
