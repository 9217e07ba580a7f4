/// Which rule a JSON text broke, and where.
public struct JSONError: Error, Hashable, Sendable {
  /// Rules of RFC 8259, of Extended JSON, and limits of ours.
  public enum Rule: Hashable, Sendable {
    case unexpectedEnd
    /// A byte that cannot begin a value.
    case expectedValue
    /// A document's key must be a string.
    case expectedKey
    case expectedColon
    case expectedCommaOrEnd
    case trailingBytes
    /// RFC 8259 §8.1 lets a parser refuse it.
    case byteOrderMark
    case leadingZero
    case malformedNumber
    /// A number beyond the greatest double.
    case numberOutOfRange
    /// A byte below 0x20 inside a string.
    case controlCharacter
    case malformedEscape
    case loneSurrogate
    case malformedUTF8
    case duplicateKey
    case tooDeep
    case tooLarge
    /// The key of an Extended JSON type whose content is not that type's.
    case malformedExtendedJSON
  }

  public let rule: Rule
  /// Bytes from the start of the text to where the rule broke.
  public let offset: Int

  public init(_ rule: Rule, at offset: Int) {
    self.rule = rule
    self.offset = offset
  }
}
