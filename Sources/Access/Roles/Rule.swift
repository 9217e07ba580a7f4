/// The condition on objects for a right of a role.
public enum Rule: Hashable, Sendable {
  case never
  case always
  /// The objects that match a filter in RQL, where `%%user.id` and the like stand for values of the caller.
  case when(String)
}
