import GatehouseBSON

// Places inside a value, and what can be done with them.
extension Value {
  /// Returns the value at the step; nil if there is none.
  func part(_ step: EditPath.Step) -> Value? {
    guard let index = index(of: step) else { return nil }
    switch self {
    case .document(let document): return document.elements[index].value
    case .array(let values): return values[index]
    default: return nil
    }
  }

  /// How many values a step into it looks at, about: names are looked for one by one, elements only move aside.
  var breadth: Int {
    switch self {
    case .document(let document): document.elements.count
    case .array(let values): values.count / 8
    default: 0
    }
  }

  /// How many bytes its texts and data have, and `perValue` for each value in it, itself among them; counted up
  /// to `limit`.
  func size(upTo limit: Int, perValue: Int = 1) -> Int {
    var size = perValue
    switch self {
    case .document(let document):
      for element in document.elements where size < limit {
        size += element.value.size(upTo: limit - size, perValue: perValue)
      }
    case .array(let values):
      for value in values where size < limit { size += value.size(upTo: limit - size, perValue: perValue) }
    case .string(let text): size += text.utf8.count
    case .binary(let binary): size += binary.bytes.count
    default: break
    }
    return size
  }

  /// Calls `body` with what holds the place that the steps lead to, and the last step. False: there is no such
  /// place, or `body` said so. Nothing is copied: what is on the way is taken out and put back.
  mutating func change(
    _ steps: ArraySlice<EditPath.Step>, _ body: (inout Value, EditPath.Step) -> Bool
  ) -> Bool {
    guard let first = steps.first else { return false }
    if steps.count == 1 { return body(&self, first) }
    guard var part = exchange(.null, at: first) else { return false }
    let isDone = part.change(steps.dropFirst(), body)
    _ = exchange(part, at: first)
    return isDone
  }

  /// RFC 6902's `add`: elements of arrays move aside, members are added or replaced.
  mutating func insert(_ value: Value, at step: EditPath.Step) -> Bool {
    guard case .array(var values) = self else { return replace(with: value, at: step) }
    let index: Int? =
      switch step {
      case .index(let index): index
      case .end: values.count
      case .any(let token): token.text == "-" ? values.count : Int(pathIndex: token.text)
      case .property, .key: nil
      }
    guard let index, index <= values.count else { return false }
    self = .null
    values.insert(value, at: index)
    self = .array(values)
    return true
  }

  /// Members that are not there are added.
  mutating func replace(with value: Value, at step: EditPath.Step) -> Bool {
    if exchange(value, at: step) != nil { return true }
    guard case .document(var document) = self, let name = step.name else { return false }
    self = .null
    document.append(name, value)
    self = .document(document)
    return true
  }

  /// Takes an element or entry out; a property is left empty.
  mutating func remove(_ step: EditPath.Step) -> Bool {
    if case .property(_, let empty) = step { return replace(with: empty.emptyValue, at: step) }
    guard let index = index(of: step) else { return false }
    switch self {
    case .document(var document):
      self = .null
      document.elements.remove(at: index)
      self = .document(document)
    case .array(var values):
      self = .null
      values.remove(at: index)
      self = .array(values)
    default: return false
    }
    return true
  }

  /// Puts a value in place of what is there, and returns that; nil, and nothing happens, where nothing is.
  ///
  /// Whatever holds a payload in its hands must not be `self` meanwhile, or the payload would be copied.
  private mutating func exchange(_ value: Value, at step: EditPath.Step) -> Value? {
    guard let index = index(of: step) else { return nil }
    var value = value
    switch self {
    case .document(var document):
      self = .null
      swap(&document.elements[index].value, &value)
      self = .document(document)
    case .array(var values):
      self = .null
      swap(&values[index], &value)
      self = .array(values)
    default: return nil
    }
    return value
  }

  /// Where the step leads to among members or elements; nil: nowhere.
  private func index(of step: EditPath.Step) -> Int? {
    switch (self, step) {
    case (.document(let document), _):
      step.name.flatMap { name in document.elements.firstIndex { $0.key.compareBytes(name) == 0 } }
    case (.array(let values), .index(let index)): values.indices.contains(index) ? index : nil
    case (.array(let values), .any(let token)):
      Int(pathIndex: token.text).flatMap { values.indices.contains($0) ? $0 : nil }
    default: nil
    }
  }
}

extension EditPath.Step {
  /// The member's name; nil for a step into an array.
  fileprivate var name: String? {
    switch self {
    case .property(let name, _), .key(let name), .any(let name): name.text
    case .index, .end: nil
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
