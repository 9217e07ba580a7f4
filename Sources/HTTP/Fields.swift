/// The header fields of a message, in order.
public struct Fields: Sendable {
  /// One field line.
  public struct Line: Hashable, Sendable {
    /// In lower case: names are case-insensitive (RFC 9110 §5.1).
    public var name: String
    public var value: String

    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  public private(set) var lines: [Line]

  public init(_ lines: [Line] = []) {
    self.lines = lines
  }

  /// The values of all lines of that name, joined by `, ` as RFC 9110 §5.3 allows; nil when there is none.
  ///
  /// `name` is in lower case.
  public subscript(name: String) -> String? {
    var found: String?
    for line in lines where line.name == name {
      found = found.map { "\($0), \(line.value)" } ?? line.value
    }
    return found
  }

  /// Adds a line. `name` is in lower case.
  public mutating func append(_ name: String, _ value: String) {
    lines.append(Line(name: name, value: value))
  }
}
