/// The reason why a version that the log reaches back to cannot be shown.
public enum PastFailure: Hashable, Sendable {
  /// A change of the schema since then has dropped values.
  case schemaChanged
  /// More has changed since then than is undone for an answer.
  case tooManyChanges
  /// The classes take more room than a copy of them may.
  case tooLarge
}
