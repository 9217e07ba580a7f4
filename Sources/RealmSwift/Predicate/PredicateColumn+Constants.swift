internal import GatehouseBSON
internal import GatehouseModel
internal import GatehouseQuery

extension PredicateColumn {
  /// A literal beside a float of the object's own follows IEEE; elsewhere NaN is below all numbers.
  var nanRule: Comparison.NaNRule {
    guard let values, values.hops.isEmpty, case .value = values.end else { return .lowest }
    return type == .float || type == .double ? .unordered : .lowest
  }

  /// Returns the constant in the type of the column.
  func constant(
    _ constant: PredicateConstant, inList: Bool = false
  ) throws(RealmPredicateError) -> Constant {
    switch constant {
    case .value(.null): return .value(.null)
    case .value(let value):
      if let function { return .value(try operand(value, of: function)) }
      guard let converted = converted(value) else { throw error(constant, inList) }
      return .value(converted)
    case .object(let object):
      switch type {
      case .mixed: break
      case .object(let name) where name == object.className: break
      case .object: throw .wrongClass(constant, for: self, in: inList ? " in IN clause" : "")
      default: throw error(constant, inList)
      }
      // An object that no store has equals none.
      return .object(objectType: object.className, primaryKey: object.id ?? .null)
    case .list, .dictionary:
      guard type == .mixed, function == nil, let value = constant.mixed else { throw error(constant, inList) }
      return .value(value)
    case .region, .other: throw error(constant, inList)
    }
  }

  private func error(_ constant: PredicateConstant, _ inList: Bool) -> RealmPredicateError {
    if let function { return .notNumber(function) }
    return inList
      ? .wrongClass(constant, for: self, in: " in IN clause") : .incomparable(constant, with: self)
  }

  /// A value beside `@count` and others.
  private func operand(_ value: Mixed, of function: String) throws(RealmPredicateError) -> Mixed {
    if function == "SUBQUERY" {
      guard value.rank == .numeric else { throw .subqueryCount }
      return Self.shortest(value)
    }
    switch type {
    case .date:
      guard case .date = value else { throw .aggregate(function, of: typeName, with: .value(value)) }
      return value
    case .mixed: return value
    default:
      guard value.rank == .numeric else {
        throw function == "@count" || function == "@size" || function == "@avg"
          ? RealmPredicateError.notNumber(function) : .aggregate(function, of: typeName, with: .value(value))
      }
      return type == .int ? Self.shortest(value) : value
    }
  }

  /// An int where the number is one, as counts are compared in SQL.
  private static func shortest(_ value: Mixed) -> Mixed {
    if case .double(let number) = value, let int = Int64(exactly: number) { .int(int) } else { value }
  }

  /// The value that stands for this one beside values of the column; nil: it is of another type.
  private func converted(_ value: Mixed) -> Mixed? {
    switch (type, value) {
    case (.mixed, _), (.bool, .bool), (.int, .int), (.string, .string), (.data, .data), (.date, .date),
      (.objectID, .objectID), (.uuid, .uuid), (.decimal128, .decimal128), (.float, .float),
      (.double, .double):
      return value
    case (.bool, .int(let number)) where number == 0 || number == 1: return .bool(number == 1)
    case (.int, .bool(let truth)): return .int(truth ? 1 : 0)
    case (.int, .double(let number)): return Int64(exactly: number).map { .int($0) }
    case (.int, .float(let number)): return Int64(exactly: number).map { .int($0) }
    case (.float, .int(let number)): return .float(Float(number))
    // As the column has it: a float column holds the float nearest to 0.1.
    case (.float, .double(let number)): return .float(Float(number))
    case (.double, .int(let number)): return .double(Double(number))
    case (.double, .float(let number)): return .double(Double(number))
    case (.float, .decimal128(let number)): return .float(Float(number.double))
    case (.double, .decimal128(let number)): return .double(number.double)
    case (.decimal128, .int(let number)): return .decimal128(GatehouseBSON.Decimal128(number))
    case (.decimal128, .double(let number)): return .decimal128(GatehouseBSON.Decimal128(number))
    case (.decimal128, .float(let number)): return .decimal128(GatehouseBSON.Decimal128(rounding: number))
    case (.decimal128, .string(let text)):
      return GatehouseBSON.Decimal128(nearest: text).map { .decimal128($0) }
    case (.uuid, .string(let text)): return GatehouseBSON.UUID(text).map { .uuid($0) }
    default: return nil
    }
  }
}

extension PredicateConstant {
  /// The value, collections inside mixed values included; nil where it is an object or none that properties have.
  fileprivate var mixed: Mixed? {
    switch self {
    case .value(let value): return value
    case .list(let elements):
      let values = elements.compactMap(\.mixed)
      return values.count == elements.count ? .list(values) : nil
    case .dictionary(let entries):
      let values = entries.compactMapValues(\.mixed)
      guard values.count == entries.count else { return nil }
      return .dictionary(
        values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map {
          Mixed.Entry(key: $0.key, value: $0.value)
        })
    case .object, .region, .other: return nil
    }
  }
}
