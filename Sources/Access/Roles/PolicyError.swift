public import Query

/// Why a document of roles is refused.
public struct PolicyError: Error, Hashable, Sendable {
  /// Which rule broke.
  public enum Rule: Hashable, Sendable {
    /// No document where one must be.
    case notADocument
    /// A member that means nothing here.
    case unknownMember
    /// No Boolean, and for a rule no filter either.
    case wrongType
    /// A role that there always is cannot be another one.
    case builtInRole
    case unknownClass
    /// Rights are given for the class whose objects hold the embedded ones.
    case embeddedClass
    case unknownProperty
    /// A property that cannot be read cannot be written either; and a primary key is always shown.
    case contradiction
    /// The filter is no predicate of the class.
    case filter(QueryError)
    /// The filter sorts or limits.
    case clauses
  }

  /// JSON Pointer (RFC 6901).
  public let pointer: String
  public let rule: Rule

  public init(pointer: String, rule: Rule) {
    self.pointer = pointer
    self.rule = rule
  }
}
