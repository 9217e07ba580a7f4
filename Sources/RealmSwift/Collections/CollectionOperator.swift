import GatehouseModel

/// An operator of a key path: `@count`, `@sum.age`.
struct CollectionOperator {
  private enum Function: String {
    case count, min, max, sum, avg, unionOfObjects, distinctUnionOfObjects, unionOfArrays,
      distinctUnionOfArrays
  }

  private let function: Function
  private let path: String

  /// Stops where there is no such operator (S:RLMCollection.mm).
  init(_ keyPath: String) {
    let parts = keyPath.dropFirst().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let function = parts.first.flatMap({ Function(rawValue: String($0)) }) else {
      fatalError("Unsupported KVC collection operator found in key path '\(keyPath)'")
    }
    self.function = function
    path = parts.count > 1 ? String(parts[1]) : ""
    if path.isEmpty, function != .count {
      fatalError("Missing key path for KVC collection operator \(function) in key path '\(keyPath)'")
    }
  }

  /// Returns the operator's value of elements.
  func value(of elements: [Any]) -> Any? {
    switch function {
    case .count: elements.count
    case .min: any(Aggregation.least(of: mixed(of: elements)))
    case .max: any(Aggregation.greatest(of: mixed(of: elements)))
    case .sum: any(Aggregation.sum(of: mixed(of: elements)))
    case .avg: any(Aggregation.average(of: mixed(of: elements)))
    case .unionOfObjects: values(of: elements)
    case .distinctUnionOfObjects: distinct(values(of: elements))
    case .unionOfArrays: joined(of: elements)
    case .distinctUnionOfArrays: distinct(joined(of: elements))
    }
  }

  private func values(of elements: [Any]) -> [Any] {
    elements.compactMap { element in
      if path == "self" { return DynamicValue.unwrapped(element) }
      return (DynamicValue.unwrapped(element) as? ObjectBase)?.value(forKeyPath: path)
    }
  }

  private func joined(of elements: [Any]) -> [Any] {
    values(of: elements).flatMap { value in
      (value as? any Sequence).map { DynamicValue.elements(of: $0) } ?? [value]
    }.compactMap { DynamicValue.unwrapped($0) }
  }

  private func distinct(_ values: [Any]) -> [Any] {
    var seen: Set<AnyHashable> = []
    return values.filter { value in (value as? AnyHashable).map { seen.insert($0).inserted } ?? true }
  }

  private func mixed(of elements: [Any]) -> [Mixed] {
    let writer = UnmanagedObjects()
    return values(of: elements).compactMap { value in
      guard !(value is ObjectBase),
        case .value(let mixed)? = AnyRealmValue._rlmFromAny(value)?._rlmDraft(in: writer).value
      else { return nil }
      return mixed
    }
  }

  private func any(_ value: Mixed?) -> Any? {
    value.flatMap { AnyRealmValue._rlmFromStored(_RealmStoredValue($0)) }.flatMap {
      DynamicValue.unwrapped($0._rlmAny)
    }
  }
}
