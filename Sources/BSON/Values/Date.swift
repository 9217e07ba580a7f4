/// A point in time with nanoseconds, as Realm's `Timestamp`.
///
/// BSON bytes and canonical Extended JSON hold milliseconds only; RFC 3339 text holds all digits.
public struct Date: Hashable, Sendable {
  /// Whole seconds since 1970-01-01T00:00:00Z, rounded towards the past.
  public let seconds: Int64
  /// Nanoseconds after ``seconds``, in 0 ..< 1,000,000,000, also before 1970.
  public let nanoseconds: Int32

  /// - Precondition: `nanoseconds` is in 0 ..< 1,000,000,000.
  public init(seconds: Int64, nanoseconds: Int32 = 0) {
    precondition(
      nanoseconds >= 0 && nanoseconds < 1_000_000_000,
      "the nanoseconds are a part of a second: \(nanoseconds)")
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }
}

extension Date: Comparable {
  public static func < (left: Date, right: Date) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}
