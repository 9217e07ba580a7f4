/// A piece of the change log, in order.
public struct ChangePage: Sendable {
  public let changes: [LoggedChange]
  /// Where to read on: behind everything that was looked at.
  public let next: LogPosition
  /// Whether the log ended here.
  public let isLast: Bool

  package init(changes: [LoggedChange], next: LogPosition, isLast: Bool) {
    (self.changes, self.next, self.isLast) = (changes, next, isLast)
  }
}
