import GatehouseBSON

/// The evaluation of one filter on one document.
struct FilterMatching {
  let scope: Scope
  /// The place in the outermost array that the test which held last was in.
  private(set) var position: Int?

  init(scope: Scope) { self.scope = scope }

  mutating func holds(_ node: Filter.Node, for value: Value) throws(DocumentsError) -> Bool {
    switch node {
    case .all(let nodes):
      for node in nodes where try !holds(node, for: value) { return false }
      return true
    case .any(let nodes):
      for node in nodes where try holds(node, for: value) { return true }
      return false
    case .not(let node):
      let before = position
      defer { position = before }
      return try !holds(node, for: value)
    case .text(let search):
      guard let paths = scope.textPaths else {
        throw DocumentsError(.indexNotFound, "text index required for $text query")
      }
      let texts = paths.compactMap { value.value(at: $0)?.text }
      return search.matches(texts)
    case .expression(let expression): return try expression.value(in: scope).isTrue
    case .test(let path, let test):
      if path.isEmpty { return try holds(test, value, at: nil) }
      let visit = PathVisit(path: path, takesWholeArrays: test.takesWholeArrays)
      switch value {
      case .document(let document): return try visit.document(document, from: 0, at: nil, test: test, &self)
      case .array(let values):
        // An array in an array is looked at as a document whose names are the places.
        let document = Document(values.enumerated().map { Document.Element(key: String($0), value: $1) })
        return try visit.document(document, from: 0, at: nil, test: test, &self)
      default: return try holds(test, nil, at: nil)
      }
    }
  }

  /// Makes a test, and keeps the place if it holds.
  fileprivate mutating func holds(
    _ test: ValueTest, _ value: Value?, at place: Int?
  ) throws(DocumentsError) -> Bool {
    let (holds, inner) = try answer(test, value)
    if holds, let place = place ?? inner { position = place }
    return holds
  }

  /// - Returns: also the place of the element in the array that the test itself looks into.
  private mutating func answer(_ test: ValueTest, _ value: Value?) throws(DocumentsError) -> (Bool, Int?) {
    switch test {
    case .compare(let relation, let other): return (ValueTest.holds(relation, value, to: other), nil)
    case .among(let set): return (set.contains(value), nil)
    case .exists: return (value != nil, nil)
    case .hasType(let test): return (value.map(test.holds) ?? false, nil)
    case .matches(let pattern): return (value.map(pattern.holds) ?? false, nil)
    case .modulo(let divisor, let remainder):
      return (value.flatMap { ValueTest.remainder($0, by: divisor) } == remainder, nil)
    case .bits(let bits, let mask): return (value.map { mask.holds(bits, for: $0) } ?? false, nil)
    case .size(let size): return (value?.asArray?.count == size, nil)
    case .elementDocument(let node):
      for (index, element) in (value?.asArray ?? []).enumerated() {
        if element.asDocument == nil, element.asArray == nil { continue }
        if try holds(node, for: element) { return (true, index) }
      }
      return (false, nil)
    case .element(let node):
      for (index, element) in (value?.asArray ?? []).enumerated() where try holds(node, for: element) {
        return (true, index)
      }
      return (false, nil)
    case .schema(let schema): return (schema.holds(for: value), nil)
    case .geo(let region): return (region.holds(for: value), nil)
    case .near(let near): return (near.distance(to: value) != nil, nil)
    }
  }
}

/// A way along a path to the values that a test is made on, as MongoDB's `ElementPath` goes it: each element of an array on
/// the way, the element that a number means, and, at the end, each element and the array itself.
private struct PathVisit {
  let path: [String]
  let takesWholeArrays: Bool

  /// - Parameter start: the component that is a name in the document.
  func document(
    _ document: Document, from start: Int, at place: Int?, test: ValueTest, _ matching: inout FilterMatching
  ) throws(DocumentsError) -> Bool {
    var index = start
    var current = document[path[index]]
    while index < path.count - 1, case .document(let inner)? = current {
      index += 1
      current = inner[path[index]]
    }
    if case .array(let values)? = current {
      return try array(values, from: index + 1, at: place, test: test, &matching)
    }
    return try matching.holds(test, index == path.count - 1 ? current : nil, at: place)
  }

  private func array(
    _ values: [Value], from next: Int, at place: Int?, test: ValueTest, _ matching: inout FilterMatching
  ) throws(DocumentsError) -> Bool {
    let isEnd = next == path.count
    if !isEnd || !takesWholeArrays {
      let wanted = isEnd ? nil : path[next].arrayIndex
      for (index, element) in values.enumerated() {
        let place = place ?? index
        if isEnd {
          if try matching.holds(test, element, at: place) { return true }
          continue
        }
        if case .document(let inner) = element,
          try document(inner, from: next, at: place, test: test, &matching)
        {
          return true
        }
        if wanted == index, try self.element(element, after: next, at: place, test: test, &matching) {
          return true
        }
      }
    }
    return isEnd ? try matching.holds(test, .array(values), at: place) : false
  }

  /// The element that a number in the path means.
  private func element(
    _ element: Value, after index: Int, at place: Int, test: ValueTest, _ matching: inout FilterMatching
  ) throws(DocumentsError) -> Bool {
    if index == path.count - 1 { return try matching.holds(test, element, at: place) }
    switch element {
    case .document(let inner): return try document(inner, from: index + 1, at: place, test: test, &matching)
    case .array(let values): return try array(values, from: index + 1, at: place, test: test, &matching)
    default: return false
    }
  }
}
