public import GatehouseQuery

/// The rule that a document of roles breaks, and where.
public struct PolicyError: Error, Hashable, Sendable {
  /// The rule that is broken.
  public enum Rule: Hashable, Sendable {
    /// The value must be a document.
    case notADocument
    /// The member is unknown.
    case unknownMember
    /// The value must be a Boolean, or for a rule a filter.
    case wrongType
    /// The role is built in and cannot be defined.
    case builtInRole
    case unknownClass
    /// Rights are given for the class whose objects hold the embedded ones.
    case embeddedClass
    case unknownProperty
    /// A property that cannot be read cannot be written either; and a primary key is always shown.
    case contradiction
    /// The filter is no predicate of the class.
    case filter(QueryError)
    /// The value must be an integer from 0 on.
    case notACount
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
