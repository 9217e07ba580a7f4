import GatehouseModel
import GatehouseQuery

/// One term of an ORDER BY; the object key breaks all ties that are left.
struct OrderTerm {
  let value: SQLText
  let ascending: Bool
  /// Whether it is ordered as a decimal, which SQLite has as a text.
  var isDecimal = false

  /// The term in a form for which no index is used.
  var unindexed: OrderTerm { OrderTerm(value: "+\(value)", ascending: ascending, isDecimal: isDecimal) }

  /// Returns the text that comes after ORDER BY.
  static func clause(_ terms: [OrderTerm], key: SQLText = "t._key") -> SQLText {
    let texts: [SQLText] = terms.map { $0.ascending ? $0.value : "\($0.value) DESC" }
    return SQLText.joined(texts + [key], ", ")
  }

  /// The condition under which an object comes after the cursor's.
  ///
  /// The cursor's values are those of the terms, as SQLite had them; arguments, with its key behind them.
  static func after(_ cursor: Cursor, in terms: [OrderTerm], key: SQLText = "t._key") -> SQLText {
    let values = cursor.values.enumerated().map { place, value in
      SQLText.Binding(raw: value).map { "\(argument: $0, of: place, as: .raw)" as SQLText }
    }
    precondition(values.count == terms.count, "a cursor has a value of each term")
    let place = cursor.values.count
    var condition: SQLText = "\(key) > \(argument: .integer(cursor.key.value), of: place, as: .raw)"
    if terms.count > nestedLimit {
      condition =
        "CASE \(SQLText.joined(zip(terms, values).map { $0.decision($1) }, " ")) ELSE \(condition) END"
    } else {
      for (term, value) in zip(terms, values).reversed() {
        condition = "(\(term.after(value)) OR (\(term.equals(value)) AND \(condition)))"
      }
    }
    // Implied by the rest, but an index can begin there.
    if let first = terms.first, let value = values.first, let start = first.notBefore(value) {
      condition = "\(start) AND \(condition)"
    }
    return condition
  }

  /// The most terms that are nested in one another, so that an index over several of them can be used; of more, SQLite's
  /// parser does not know any longer where it began.
  private static let nestedLimit = 6

  /// The first term that is not equal decides.
  private func decision(_ value: SQLText?) -> SQLText {
    let differs: SQLText = value.map { "\(self.value) IS NOT \($0)" } ?? "\(self.value) IS NOT NULL"
    return "WHEN \(differs) THEN \(after(value))"
  }

  private func equals(_ value: SQLText?) -> SQLText {
    value.map { "\(self.value) IS \($0)" } ?? "\(self.value) IS NULL"
  }

  /// SQLite has null first in ascending order, last in descending order.
  private func after(_ value: SQLText?) -> SQLText {
    switch (value, ascending) {
    case (let value?, true): "\(self.value) > \(value)"
    case (let value?, false): "(\(self.value) < \(value) OR \(self.value) IS NULL)"
    case (nil, true): "\(self.value) IS NOT NULL"
    case (nil, false): "0"
    }
  }

  private func notBefore(_ value: SQLText?) -> SQLText? {
    guard let value, ascending else { return nil }
    return "\(self.value) >= \(value)"
  }
}

extension SQLText.Binding {
  /// A value as SQLite had it; nil for null.
  init?(raw value: Mixed) {
    switch value {
    case .int(let value): self = .integer(value)
    case .double(let value): self = .real(value)
    case .string(let value): self = .text(value)
    case .data(let value): self = .blob(value)
    case .null, .bool, .float, .decimal128, .date, .objectID, .uuid, .link, .list, .dictionary: return nil
    }
  }
}
