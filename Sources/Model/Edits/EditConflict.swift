/// The reason why an edit does not fit the object's present values.
public struct EditConflict: Hashable, Sendable {
  /// The way in which the action does not fit.
  public enum Reason: Hashable, Sendable {
    /// A `test` found another value.
    case testFailed
    /// The path leads nowhere in the object as it is.
    case pathNotFound
    /// Null, or a mixed value of another type, where a number or an array must be.
    case valueUnsuitable
  }

  /// JSON Pointer (RFC 6901) to the action in the content.
  public let pointer: String
  public let reason: Reason

  public init(pointer: String, reason: Reason) {
    self.pointer = pointer
    self.reason = reason
  }
}
