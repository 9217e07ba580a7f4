import Glibc

extension Date {
  /// The system's clock.
  public static var now: Date {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Date(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
  }

  /// The date that is so many milliseconds after 1970-01-01T00:00:00Z, as BSON counts.
  public init(milliseconds: Int64) {
    let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    let borrow: Int64 = remainder < 0 ? 1 : 0
    self.init(
      seconds: quotient - borrow, nanoseconds: Int32(remainder + borrow * 1000) * 1_000_000)
  }

  /// Milliseconds since 1970-01-01T00:00:00Z, rounded towards the past, at most `Int64`'s range.
  public var milliseconds: Int64 {
    exactMilliseconds ?? (seconds < 0 ? .min : .max)
  }

  /// Milliseconds since 1970-01-01T00:00:00Z rounded towards the past, or nil if they exceed `Int64`.
  var exactMilliseconds: Int64? {
    // One second later and one thousand milliseconds less, so that the least value does not overflow early.
    let later: Int64 = seconds < 0 ? 1 : 0
    let (product, overflow) = (seconds + later).multipliedReportingOverflow(by: 1000)
    let rest = Int64(nanoseconds) / 1_000_000 - later * 1000
    let (sum, carry) = product.addingReportingOverflow(rest)
    return overflow || carry ? nil : sum
  }
}
