/// An ordered sequence of named values.
///
/// Two documents are equal when they hold the same elements in the same order. Keys are not forced to be
/// unique here; the readers refuse a repeated one.
public struct Document: Hashable, Sendable {
  /// One named value.
  public struct Element: Hashable, Sendable {
    public var key: String
    public var value: Value

    public init(key: String, value: Value) {
      self.key = key
      self.value = value
    }

    /// Whether key and value are the same; see ``Value/==(_:_:)``.
    public static func == (left: Element, right: Element) -> Bool {
      left.key.hasSameBytes(as: right.key) && left.value == right.value
    }
  }

  public var elements: [Element]

  public init(_ elements: [Element] = []) {
    self.elements = elements
  }

  /// The first value of that name, or nil.
  public subscript(key: String) -> Value? {
    elements.first { $0.key.hasSameBytes(as: key) }?.value
  }

  /// Adds an element at the end, without looking for an element of the same name.
  public mutating func append(_ key: String, _ value: Value) {
    elements.append(Element(key: key, value: value))
  }
}

extension Document: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, Value)...) {
    self.init(elements.map { Element(key: $0.0, value: $0.1) })
  }
}
