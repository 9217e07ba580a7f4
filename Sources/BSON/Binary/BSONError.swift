/// Which rule of the BSON specification some bytes broke, and where.
public struct BSONError: Error, Hashable, Sendable {
  /// Rules of <https://bsonspec.org/spec.html>, and limits of ours.
  public enum Rule: Hashable, Sendable {
    case unexpectedEnd
    /// A length that is negative, too small, or reaches beyond what holds it.
    case malformedLength
    /// No zero byte where a document, a string or a name ends.
    case missingTerminator
    case trailingBytes
    case unknownType
    /// A boolean is 0 or 1.
    case malformedBoolean
    case malformedUTF8
    case duplicateKey
    case tooDeep
    case tooLarge
    /// A name or pattern to write has a zero byte, which ends it.
    case zeroByteInName
  }

  public let rule: Rule
  /// Bytes from the start to where the rule broke.
  public let offset: Int

  public init(_ rule: Rule, at offset: Int) {
    self.rule = rule
    self.offset = offset
  }
}
