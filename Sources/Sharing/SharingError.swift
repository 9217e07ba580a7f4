/// The bound that keeps a caller from more.
public enum SharingError: Error, Hashable, Sendable {
  /// All callers together hold so much that the amount is not free.
  case exhausted
  /// The caller holds as much as the others leave to it.
  case share
}
