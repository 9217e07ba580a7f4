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
          let value = property == "self" ? element : (element as? ObjectBase)?.value(forKey: property)
          return AnyRealmValue._rlmFromAny(value as Any).flatMap {
            if case .value(let value) = $0._rlmDraft(in: writer).value { value } else { nil }
          }
        }, nil
      )
    }
  }

  private func converted<T: _HasPersistedType>(_ value: Mixed, _ context: RealmContext?, to type: T.Type)
    -> T?
  {
    T._rlmFromStored(_RealmStoredValue(value, in: context))
      ?? AnyRealmValue._rlmFromStored(_RealmStoredValue(value, in: context)).flatMap {
        T._rlmFromAny($0._rlmAny)
      }
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
    guard let sum = converted(Aggregation.sum(of: values), context, to: T.self) else {
      fatalError("The sum of '\(property)' is no '\(T.self)'.")
    }
    return sum
  }

  /// The average of the values of a property; nil: there are none.
  public func average<T: _HasPersistedType>(ofProperty property: String) -> T?
  where T.PersistedType: AddableType {
    let (values, context) = values(property, "average")
    return Aggregation.average(of: values).flatMap { converted($0, context, to: T.self) }
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

  static func sum(of values: [Mixed]) -> Mixed {
    var (integer, double, isInteger) = (Int64(0), 0.0, true)
    var decimal: Decimal128?
    for value in values {
      switch value {
      case .int(let number):
        integer &+= number
        double += Double(number)
        decimal = decimal.map { $0 + Decimal128(number: number) }
      case .float(let number):
        (double, isInteger) = (double + Double(number), false)
      case .double(let number):
        (double, isInteger) = (double + number, false)
      case .decimal128(let number):
        decimal = (decimal ?? Decimal128(number: double)) + Decimal128(number)
      default: break
      }
    }
    if let decimal { return .decimal128(decimal.stored) }
    return isInteger ? .int(integer) : .double(double)
  }

  static func average(of values: [Mixed]) -> Mixed? {
    let numbers = values.filter { value in
      switch value {
      case .int, .float, .double, .decimal128: true
      default: false
      }
    }
    if numbers.isEmpty { return nil }
    switch sum(of: numbers) {
    case .int(let sum): return .double(Double(sum) / Double(numbers.count))
    case .double(let sum): return .double(sum / Double(numbers.count))
    case .decimal128(let sum):
      return .decimal128((Decimal128(sum) / Decimal128(number: numbers.count)).stored)
    default: return nil
    }
  }
}
