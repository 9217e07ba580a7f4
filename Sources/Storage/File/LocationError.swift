/// Why there is nothing at a place, or not what an operation needs.
public enum LocationError: Error, Hashable, Sendable {
  /// A link or an embedded object on the way is null.
  case nullLink
  /// The map has no such key.
  case noEntry
  /// The list is not so long.
  case noElement
  /// The mixed value has nothing there.
  case noValue
  /// The key is there already, and `uniquing` says that this is an error.
  case entryExists
  /// The mixed value is no list, or no dictionary.
  case wrongKind
}
