import GatehouseModel

/// A mistake in the content of a transaction, with its place.
struct TransactionError: Hashable, Sendable {
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
    /// The path is none of the class.
    case path(PathError)
    /// The path leads to something else than the operation changes.
    case pathOfWrongType
  }

  /// JSON Pointer (RFC 6901).
  let pointer: String
  let rule: Rule
}
