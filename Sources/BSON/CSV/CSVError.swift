/// The rule of RFC 4180 that a record breaks, and where.
public struct CSVError: Error, Hashable, Sendable {
  public enum Rule: Hashable, Sendable {
    /// A quote in a field that does not begin with one.
    case quoteInField
    /// Text between the quote that ends a field and the comma.
    case textAfterQuote
    case unterminatedQuote
    /// A carriage return, outside of quotes, that no line feed follows.
    case bareCarriageReturn
    case malformedUTF8
    /// Not as many fields as the header has; `found` is at most one more than `expected`.
    case fieldCount(expected: Int, found: Int)
    case tooManyFields(limit: Int)
  }

  public let rule: Rule
  /// Bytes from the start of the record.
  public let offset: Int

  public init(_ rule: Rule, at offset: Int) {
    self.rule = rule
    self.offset = offset
  }
}
