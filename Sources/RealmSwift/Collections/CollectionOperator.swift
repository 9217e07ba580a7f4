/// An operator of a key path: `@count`, `@sum.age`.
struct CollectionOperator {
  private let name: String
  private let path: String

  init(_ keyPath: String) {
    let parts = keyPath.split(separator: ".", maxSplits: 1).map(String.init)
    name = parts.first ?? ""
    path = parts.count > 1 ? parts[1] : "self"
  }

  /// Returns the operator's value of elements.
  func value(of elements: [Any]) -> Any? {
    switch name {
    case "@count": return elements.count
    case "@min":
      return numbers(of: elements).map(\.0).min().flatMap { least in original(least, in: elements) }
    case "@max": return numbers(of: elements).map(\.0).max().flatMap { most in original(most, in: elements) }
    case "@sum": return sum(of: elements)
    case "@avg":
      let numbers = numbers(of: elements).map(\.0)
      return numbers.isEmpty ? nil : numbers.reduce(0, +) / Double(numbers.count)
    case "@unionOfObjects": return values(of: elements)
    case "@distinctUnionOfObjects":
      var seen: Set<AnyHashable> = []
      return values(of: elements).filter { value in
        (value as? AnyHashable).map { seen.insert($0).inserted } ?? true
      }
    default: fatalError("Unsupported KVC collection operator found in key path '\(name).\(path)'")
    }
  }

  private func values(of elements: [Any]) -> [Any] {
    elements.compactMap { element in
      if path == "self" { return DynamicValue.unwrapped(element) }
      return (DynamicValue.unwrapped(element) as? ObjectBase)?.value(forKeyPath: path)
    }
  }

  private func numbers(of elements: [Any]) -> [(Double, Any)] {
    values(of: elements).compactMap { value in DynamicNumber.double(value).map { ($0, value) } }
  }

  private func original(_ number: Double, in elements: [Any]) -> Any? {
    numbers(of: elements).first { $0.0 == number }?.1
  }

  private func sum(of elements: [Any]) -> Any {
    let values = values(of: elements)
    let integers = values.compactMap { $0 is Double || $0 is Float ? nil : DynamicNumber.integer($0) }
    if integers.count == values.count { return Int(integers.reduce(0, &+)) }
    return values.compactMap { DynamicNumber.double($0) }.reduce(0, +)
  }
}
