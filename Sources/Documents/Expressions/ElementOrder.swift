import GatehouseBSON

/// The order of the elements of an array: by their values, or by paths in them.
struct ElementOrder {
  private let isWhole: Bool
  private let keys: [(path: [String], isAscending: Bool)]

  /// - Parameter value: 1 or -1, or a document of paths with such directions.
  init(_ value: Value) throws(DocumentsError) {
    if let direction = value.asInteger {
      guard direction == 1 || direction == -1 else {
        throw .badValue("The $sort element value must be either 1 or -1")
      }
      isWhole = true
      keys = [([], direction == 1)]
      return
    }
    guard let document = value.asDocument, !document.elements.isEmpty else {
      throw .badValue(
        "The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields")
    }
    isWhole = false
    var keys: [(path: [String], isAscending: Bool)] = []
    for element in document.elements {
      guard let direction = element.value.asInteger, direction == 1 || direction == -1 else {
        throw .badValue("The $sort element value must be either 1 or -1")
      }
      let path = try FieldPath.split(element.key)
      if path.contains("") {
        throw .badValue("The $sort field is a dotted field but has an empty part: \(element.key)")
      }
      keys.append((path, direction == 1))
    }
    self.keys = keys
  }

  /// - Parameter step: Called before each comparison; what it throws ends the sorting.
  func sorted<Failure: Error>(
    _ values: [Value], step: () throws(Failure) -> Void
  ) throws(Failure) -> [Value] {
    let places = values.indices.map { index in
      (index, keys.map { isWhole ? values[index] : values[index].asDocument?.value(at: $0.path) })
    }
    var failure: Failure?
    let sorted = places.sorted { left, right in
      // The rest of a sorting that has ended is done at once.
      if failure != nil { return false }
      do throws(Failure) { try step() } catch { failure = error }
      for (index, key) in keys.enumerated() {
        let order = ValueOrder.compare(left.1[index] ?? .null, right.1[index] ?? .null)
        if order != 0 { return (order < 0) == key.isAscending }
      }
      return left.0 < right.0
    }
    if let failure { throw failure }
    return sorted.map { values[$0.0] }
  }
}
