/// The step that a connection does once everything that is ready on its loop has been handled.
enum PostponedStep: Hashable {
  case nothing
  /// Sends its output.
  case flush
  /// Has its turn, which sends its output too.
  case advance

  /// Postpones a step, which is done as part of one that is more; true: the loop has to be told.
  mutating func postpone(_ step: PostponedStep) -> Bool {
    let isFirst = self == .nothing
    if isFirst || step == .advance { self = step }
    return isFirst
  }

  /// Returns what is to be done now, which is nothing postponed any more.
  mutating func take() -> PostponedStep {
    defer { self = .nothing }
    return self
  }
}
