/// A pattern and its options, kept as text: nothing here runs it.
public struct RegularExpression: Hashable, Sendable {
  public let pattern: String
  /// One letter per option, in alphabetical order.
  public let options: String

  public init(pattern: String, options: String) {
    self.pattern = pattern
    self.options = options
  }

  /// Whether the bytes of both are the same.
  public static func == (left: RegularExpression, right: RegularExpression) -> Bool {
    left.pattern.hasSameBytes(as: right.pattern) && left.options.hasSameBytes(as: right.options)
  }
}
