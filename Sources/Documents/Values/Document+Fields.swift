import GatehouseBSON

extension Document {
  func index(of key: String) -> Int? {
    elements.firstIndex { $0.key.hasSameBytes(as: key) }
  }

  /// Replaces the value of a field where it is, or appends it.
  mutating func set(_ key: String, _ value: Value) {
    if let index = index(of: key) { elements[index].value = value } else { append(key, value) }
  }

  @discardableResult
  mutating func remove(_ key: String) -> Value? {
    index(of: key).map { elements.remove(at: $0).value }
  }

  /// The value of a path as an expression reads it: arrays in the way give an array of what their documents have.
  func value(at path: [String], from index: Int = 0) -> Value? {
    guard let value = self[path[index]] else { return nil }
    if index == path.count - 1 { return value }
    switch value {
    case .document(let document): return document.value(at: path, from: index + 1)
    case .array(let values):
      return .array(
        values.compactMap { $0.asDocument?.value(at: path, from: index + 1) })
    default: return nil
    }
  }

  /// The levels of documents and arrays.
  func isDeeper(than limit: Int) -> Bool {
    elements.contains { $0.value.isDeeper(than: limit - 1) }
  }
}

extension Value {
  func isDeeper(than limit: Int) -> Bool {
    switch self {
    case .document(let document): limit <= 0 || document.isDeeper(than: limit)
    case .array(let values): limit <= 0 || values.contains { $0.isDeeper(than: limit - 1) }
    default: false
    }
  }

  /// The value of a path as an expression reads it.
  func value(at path: [String]) -> Value? {
    if path.isEmpty { return self }
    switch self {
    case .document(let document): return document.value(at: path)
    case .array(let values): return .array(values.compactMap { $0.asDocument?.value(at: path) })
    default: return nil
    }
  }
}
