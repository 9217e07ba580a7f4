/// Which objects of a class something is allowed with.
public enum Rule: Hashable, Sendable {
  case never
  case always
  /// Those that match the filter, in RQL, where `%%user.id` and the like stand for what is known of the caller.
  case when(String)
}
