/// What is wrong with the content of a transaction, and where.
struct TransactionFault: Hashable, Sendable {
  /// The rules for transactions, beside those for the values in them.
  enum Rule: Hashable, Sendable {
    case notADocument
    case notAnArray
    case memberMissing
    case unknownMember
    case unknownOperation
    case memberOfWrongType
    /// An update says in more than one way what it does.
    case contradictoryMember
    case unknownClass
    case embeddedClass
  }

  /// JSON Pointer (RFC 6901).
  let pointer: String
  let rule: Rule
}
