import GatehouseLive
import GatehouseModel
import GatehouseQuery
import GatehouseStorage

extension RealmCollectionImpl {
  /// The values of a property, or of the elements themselves.
  private func values(_ property: String, _ function: String) -> (values: [Mixed], context: RealmContext?) {
    check()
    switch source {
    case .managed(let context, let live):
      guard let objectType = live.objectType else { return (live.all, context) }
      let managed = context.managedClass(objectType)
      if !property.contains("."), managed?.fields == nil || managed?.schema[property] != nil {
        guard let definition = managed?.schema[property] else {
          fatalError(
            "Invalid property name: Property '\(property)' not found in object of type '\(objectType)'")
        }
        let mayAggregate: Set<PropertyType> = [.int, .float, .double, .decimal128, .date, .any]
        if definition.isCollection || !mayAggregate.contains(definition.type)
          || definition.type == .date && (function == "sum" || function == "average")
        {
          fatalError(
            "Operation '\(function)' not supported for \(definition.typeName) property '\(objectType).\(property)'"
          )
        }
      }
      let path = context.sortPath(property, of: objectType, to: function)
      return (
        live.all.flatMap { element -> [Mixed] in
          guard let row = context.live.row(of: element) else { return [] }
          return context.live.values(of: path, from: row)
        }, context
      )
    case .unmanaged(let elements):
      if property.contains(".") {
        fatalError("Nested key paths are not supported yet for KVC collection operators.")
      }
      let writer = UnmanagedObjects()
      return (
        elements.compactMap { element in
          guard property == "self" else {
            let value = (element as? ObjectBase)?.value(forKey: property)
            return AnyRealmValue._rlmFromAny(value as Any)?.stored(in: writer)
          }
          return element.stored(in: writer)
        }, nil
      )
    }
  }

  private func converted<T: _HasPersistedType>(_ value: Mixed, _ context: RealmContext?, to type: T.Type)
    -> T?
  {
    // The optional of another type of numbers is nil.
    if let converted = T._rlmFromStored(_RealmStoredValue(value, in: context)),
      !DynamicValue.isNull(converted)
    {
      return converted
    }
    let any = AnyRealmValue._rlmFromStored(_RealmStoredValue(value, in: context))
    if let converted = any.flatMap({ T._rlmFromAny($0._rlmAny) }) { return converted }
    // A decimal is wanted as a number of another type.
    return any?.decimal128Value.flatMap { Double($0.description) }.flatMap { T._rlmFromAny($0) }
  }

  /// Whether the values of a property are mixed, of which sums and averages are decimals (C:column_type_traits.hpp).
  private func isMixed(_ property: String) -> Bool {
    guard case .managed(let context, let live) = source else { return false }
    guard let objectType = live.objectType else {
      return (Element.self as? any _RealmSchemaDiscoverable.Type)?._rlmType == .any
    }
    return context.managedClass(objectType)?.schema[property]?.type == .any
  }

  /// The least value of a property; nil: there is none.
  public func min<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
    let (values, context) = values(property, "min")
    return Aggregation.least(of: values).flatMap { converted($0, context, to: T.self) }
  }

  /// The greatest value of a property; nil: there is none.
  public func max<T: _HasPersistedType>(ofProperty property: String) -> T? where T.PersistedType: MinMaxType {
    let (values, context) = values(property, "max")
    return Aggregation.greatest(of: values).flatMap { converted($0, context, to: T.self) }
  }

  /// The sum of the values of a property; 0: there are none.
  public func sum<T: _HasPersistedType>(ofProperty property: String) -> T where T.PersistedType: AddableType {
    let (values, context) = values(property, "sum")
    let result = Aggregation.sum(of: values, isDecimal: isMixed(property))
    guard let sum = converted(result, context, to: T.self) else {
      fatalError("The sum of '\(property)' is no '\(T.self)'.")
    }
    return sum
  }

  /// The average of the values of a property; nil: there are none.
  public func average<T: _HasPersistedType>(ofProperty property: String) -> T?
  where T.PersistedType: AddableType {
    let (values, context) = values(property, "average")
    return Aggregation.average(of: values, isDecimal: isMixed(property)).flatMap {
      converted($0, context, to: T.self)
    }
  }
}

extension _HasPersistedType {
  /// The value as it is stored; nil where it is none that stands for itself.
  fileprivate func stored(in writer: UnmanagedObjects) -> Mixed? {
    if case .value(let value) = _rlmDraft(in: writer).value { value } else { nil }
  }
}

/// Numbers, and times, of several values.
enum Aggregation {
  private static func comparable(_ values: [Mixed]) -> [Mixed] {
    values.filter { if case .null = $0 { false } else { true } }
  }

  static func least(of values: [Mixed]) -> Mixed? {
    comparable(values).min { MixedOrder.sortOrder($0, $1) < 0 }
  }

  static func greatest(of values: [Mixed]) -> Mixed? {
    comparable(values).max { MixedOrder.sortOrder($0, $1) < 0 }
  }

  static func sum(of values: [Mixed], isDecimal: Bool = false) -> Mixed {
    var (integer, double, isInteger) = (Int64(0), 0.0, true)
    var decimal: Decimal128? = isDecimal ? 0 : nil
    for value in values {
      switch value {
      case .int(let number):
        integer &+= number
        double += Double(number)
        decimal = decimal.map { $0 + Decimal128(number: number) }
      case .float(let number):
        (double, isInteger) = (double + Double(number), false)
        decimal = decimal.map { $0 + Decimal128(number: Double(number)) }
      case .double(let number):
        (double, isInteger) = (double + number, false)
        decimal = decimal.map { $0 + Decimal128(number: number) }
      case .decimal128(let number):
        decimal = (decimal ?? Decimal128(number: double)) + Decimal128(number)
      default: break
      }
    }
    if let decimal { return .decimal128(decimal.stored) }
    return isInteger ? .int(integer) : .double(double)
  }

  static func average(of values: [Mixed], isDecimal: Bool = false) -> Mixed? {
    let numbers = values.filter { value in
      switch value {
      case .int, .float, .double, .decimal128: true
      default: false
      }
    }
    if numbers.isEmpty { return nil }
    switch sum(of: numbers, isDecimal: isDecimal) {
    case .int:
      // The sum of integers may be none.
      let sum = numbers.reduce(0.0) { if case .int(let number) = $1 { $0 + Double(number) } else { $0 } }
      return .double(sum / Double(numbers.count))
    case .double(let sum): return .double(sum / Double(numbers.count))
    case .decimal128(let sum):
      return .decimal128((Decimal128(sum) / Decimal128(number: numbers.count)).stored)
    default: return nil
    }
  }
}
