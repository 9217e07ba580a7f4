/// Which event of a batch is next.
struct EventBatch {
  private var next = 0
  private let count: Int

  init(count: Int = 0) {
    self.count = count
  }

  /// Whether all events have been taken.
  var isOver: Bool { next == count }

  /// Takes the next event; returns its number in the batch, nil: there is none.
  mutating func take() -> Int? {
    guard next < count else { return nil }
    defer { next += 1 }
    return next
  }
}
