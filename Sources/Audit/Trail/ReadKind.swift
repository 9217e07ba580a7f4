/// How an answer found its objects.
public enum ReadKind: Hashable, Sendable {
  /// They were asked for one by one.
  case objects
  /// They were found together.
  case query
}
