import GatehouseBSON
import GatehouseModel
public import GatehouseQuery

/// The order of a query's results, by which those of several stores are put together.
public struct ResultOrder: Sendable {
  private struct Term: Sendable {
    let ascending: Bool
    let isDecimal: Bool
  }

  private let terms: [Term]

  init(_ terms: [OrderTerm]) {
    self.terms = terms.map { Term(ascending: $0.ascending, isDecimal: $0.isDecimal) }
  }

  /// The number of values that a cursor has.
  public var count: Int { terms.count }

  /// Returns a negative number where `left` comes before `right`, a positive one where it comes after it, else 0.
  public func compare(_ left: Cursor, _ right: Cursor) -> Int {
    let order = compare(left, right, byLast: count)
    if order != 0 { return order }
    return left.key.value < right.key.value ? -1 : left.key.value > right.key.value ? 1 : 0
  }
}

extension ResultOrder {
  /// The same of the last values alone.
  public func compare(_ left: Cursor, _ right: Cursor, byLast count: Int) -> Int {
    for (term, (left, right)) in zip(terms, zip(left.values, right.values)).dropFirst(self.count - count) {
      let order = term.isDecimal ? left.compareAsDecimal(to: right) : left.compareAsStored(to: right)
      if order != 0 { return term.ascending ? order : -order }
    }
    return 0
  }
}

extension Mixed {
  /// Compares as SQLite does: null, numbers, texts by their bytes, blobs.
  fileprivate func compareAsStored(to other: Mixed) -> Int {
    switch (self, other) {
    case (.int(let left), .int(let right)): left < right ? -1 : left > right ? 1 : 0
    case (.string(let left), .string(let right)): Mixed.compare(left.utf8, right.utf8)
    case (.data(let left), .data(let right)): Mixed.compare(left, right)
    default:
      storedRank == other.storedRank
        ? (storedRank == 1 ? MixedOrder.compare(self, other) : 0) : storedRank - other.storedRank
    }
  }

  /// Compares decimals by value; what is none comes first, bytewise.
  fileprivate func compareAsDecimal(to other: Mixed) -> Int {
    guard case .string(let left) = self, case .string(let right) = other else {
      return compareAsStored(to: other)
    }
    return switch (Decimal128(left), Decimal128(right)) {
    case (let left?, let right?): MixedOrder.compare(.decimal128(left), .decimal128(right))
    case (nil, _?): -1
    case (_?, nil): 1
    case (nil, nil): Mixed.compare(left.utf8, right.utf8)
    }
  }

  private var storedRank: Int {
    switch self {
    case .null: 0
    case .string: 2
    case .data: 3
    default: 1
    }
  }

  private static func compare(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Int {
    left.lexicographicallyPrecedes(right) ? -1 : right.lexicographicallyPrecedes(left) ? 1 : 0
  }
}
