import BSON

// Places inside a value, and what can be done with them.
extension Value {
  /// What is at that place; nil: there is no such place.
  func part(_ step: EditPath.Step) -> Value? {
    switch (self, step) {
    case (.document(let document), .property(let name, _)), (.document(let document), .key(let name)),
      (.document(let document), .any(let name)):
      document[name]
    case (.array(let values), .index(let index)): values.indices.contains(index) ? values[index] : nil
    case (.array(let values), .any(let token)):
      Int(pathIndex: token).flatMap { values.indices.contains($0) ? values[$0] : nil }
    default: nil
    }
  }

  /// Calls `body` with what holds the place that the steps lead to, and the last step. False: there is no such
  /// place, or `body` said so.
  mutating func change(
    _ steps: ArraySlice<EditPath.Step>, _ body: (inout Value, EditPath.Step) -> Bool
  ) -> Bool {
    guard let first = steps.first else { return false }
    if steps.count == 1 { return body(&self, first) }
    guard var part = part(first), part.change(steps.dropFirst(), body) else { return false }
    return replace(with: part, at: first)
  }

  /// RFC 6902's `add`: elements of arrays move aside, members are added or replaced.
  mutating func insert(_ value: Value, at step: EditPath.Step) -> Bool {
    guard case .array(var values) = self else { return replace(with: value, at: step) }
    let index: Int? =
      switch step {
      case .index(let index): index
      case .end, .any("-"): values.count
      case .any(let token): Int(pathIndex: token)
      case .property, .key: nil
      }
    guard let index, index <= values.count else { return false }
    values.insert(value, at: index)
    self = .array(values)
    return true
  }

  /// Members that are not there are added.
  mutating func replace(with value: Value, at step: EditPath.Step) -> Bool {
    switch (self, step) {
    case (.document(var document), .property(let name, _)), (.document(var document), .key(let name)),
      (.document(var document), .any(let name)):
      document.set(name, value)
      self = .document(document)
      return true
    case (.array(var values), .index(let index)):
      guard values.indices.contains(index) else { return false }
      values[index] = value
      self = .array(values)
      return true
    case (.array, .any(let token)):
      return Int(pathIndex: token).map { replace(with: value, at: .index($0)) } ?? false
    default: return false
    }
  }

  /// Takes an element or entry out; a property is left empty.
  mutating func remove(_ step: EditPath.Step) -> Bool {
    switch (self, step) {
    case (.document, .property(_, let empty)): return replace(with: empty.emptyValue, at: step)
    case (.document(var document), .key(let name)), (.document(var document), .any(let name)):
      document.elements.removeAll { $0.key == name }
      self = .document(document)
      return true
    case (.array(var values), .index(let index)):
      guard values.indices.contains(index) else { return false }
      values.remove(at: index)
      self = .array(values)
      return true
    case (.array, .any(let token)): return Int(pathIndex: token).map { remove(.index($0)) } ?? false
    default: return false
    }
  }
}

extension DraftValue {
  /// An empty draft as a value.
  fileprivate var emptyValue: Value {
    switch self {
    case .list: .array([])
    case .map: .document(Document())
    case .value, .link, .embedded: .null
    }
  }
}

extension Document {
  fileprivate mutating func set(_ key: String, _ value: Value) {
    if let index = elements.firstIndex(where: { $0.key == key }) {
      elements[index].value = value
    } else {
      append(key, value)
    }
  }
}
