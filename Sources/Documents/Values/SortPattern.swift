public import GatehouseBSON

/// The order of documents by paths: `{a: 1, "b.c": -1}`.
public struct SortPattern: Sendable {
  let keys: [(path: [String], isAscending: Bool)]

  public init(_ document: Document) throws(DocumentsError) {
    if document.elements.isEmpty {
      throw .at(15976, "$sort stage must have at least one sort key")
    }
    if document.elements.count > 32 { throw .badValue("too many compound keys") }
    var keys: [(path: [String], isAscending: Bool)] = []
    for element in document.elements {
      if element.value.asDocument?["$meta"] != nil {
        throw DocumentsError(.commandNotSupported, "$meta is not supported")
      }
      guard element.value.isNumber, let direction = element.value.asDouble, direction == 1 || direction == -1
      else {
        throw .at(15975, "$sort key ordering must be 1 (for ascending) or -1 (for descending)")
      }
      keys.append((try FieldPath(expression: element.key).components, direction == 1))
    }
    self.keys = keys
  }

  /// The path and the direction, where there is one path only.
  public var single: (path: [String], isAscending: Bool)? { keys.count == 1 ? keys[0] : nil }

  /// The values that a document is sorted by: of an array the least, or the greatest where it descends; what is missing is
  /// null, and an empty array is below null.
  func values(of document: Document) -> [Value] {
    keys.map { key in
      var found: Value?
      Self.visit(key.path, from: 0, in: document) { value in
        guard let previous = found else {
          found = value
          return
        }
        let order = ValueOrder.compare(value, previous)
        if key.isAscending ? order < 0 : order > 0 { found = value }
      }
      return found ?? .null
    }
  }

  /// Below null, which is where an array without elements is.
  private static let empty = Value.undefined

  /// Gives each value of a path, as an index would have them.
  private static func visit(
    _ path: [String], from index: Int, in document: Document, _ body: (Value) -> Void
  ) {
    let value = document[path[index]]
    visit(path, after: index, value: value, body)
  }

  private static func visit(_ path: [String], after index: Int, value: Value?, _ body: (Value) -> Void) {
    let isEnd = index == path.count - 1
    switch value {
    case .array(let values)?:
      if values.isEmpty { return body(isEnd ? empty : .null) }
      if isEnd { return values.forEach(body) }
      if let place = path[index + 1].arrayIndex, values.indices.contains(place) {
        return visit(path, after: index + 1, value: values[place], body)
      }
      for element in values {
        if case .document(let inner) = element {
          visit(path, from: index + 1, in: inner, body)
        } else {
          body(.null)
        }
      }
    case .document(let inner)? where !isEnd: visit(path, from: index + 1, in: inner, body)
    case let value?: body(isEnd ? value : .null)
    case nil: body(.null)
    }
  }

  /// Returns a negative number where `left` comes before `right`, a positive one where it comes after it, else 0.
  public func compare(_ left: Document, _ right: Document) -> Int {
    compare(values(of: left), values(of: right))
  }

  func compare(_ left: [Value], _ right: [Value]) -> Int {
    for (index, key) in keys.enumerated() {
      let order = ValueOrder.compare(left[index], right[index])
      if order != 0 { return key.isAscending ? order : -order }
    }
    return 0
  }

  /// The documents in order; equal ones stay as they are.
  public func sorted(_ documents: [Document]) -> [Document] {
    documents.enumerated().map { ($0.offset, values(of: $0.element), $0.element) }
      .sorted { left, right in
        let order = compare(left.1, right.1)
        return order != 0 ? order < 0 : left.0 < right.0
      }.map { $0.2 }
  }
}
