/// Why a caller does not get more of what is shared.
public enum SharingError: Error, Hashable, Sendable {
  /// All callers together hold so much that the amount is not free.
  case exhausted
  /// The caller holds as much as the others leave to it.
  case share
}
