/// Values by keys, of which those that were not used lately are dropped.
///
/// Two generations stand for an order of use: what is found in the older one moves to the younger one, and when
/// that is full it becomes the older one.
struct RecentValues<Key: Hashable, Element> {
  private let capacity: Int
  private var younger: [Key: Element] = [:]
  private var older: [Key: Element] = [:]

  /// Keeps at most twice as many values as `capacity`.
  init(capacity: Int) {
    self.capacity = capacity
  }

  subscript(key: Key) -> Element? {
    mutating get {
      if let value = younger[key] { return value }
      guard let value = older[key] else { return nil }
      self[key] = value
      return value
    }
    set {
      if younger.count >= capacity { (older, younger) = (younger, [:]) }
      younger[key] = newValue
    }
  }
}
