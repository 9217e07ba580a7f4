internal import Foundation
internal import GatehouseBSON

// The one place where values of Foundation become values of the store, and values of the store those of Foundation.

extension FoundationDate {
  private static let epoch: Int64 = 978_307_200

  /// The date as the store has it, with the nearest nanosecond. A date that is no number is the beginning of 1970, and
  /// one out of range the last or first that there is, as in Realm (`RLMTimestampForNSDate`).
  var stored: GatehouseBSON.Date {
    let interval = timeIntervalSinceReferenceDate
    if interval.isNaN { return GatehouseBSON.Date(seconds: 0) }
    let whole = interval.rounded(.down)
    guard whole < 9.2e18 else { return GatehouseBSON.Date(seconds: .max, nanoseconds: 999_999_999) }
    guard whole > -9.2e18 else { return GatehouseBSON.Date(seconds: .min) }
    let nanoseconds = Int32(((interval - whole) * 1e9).rounded())
    let seconds = Int64(whole) + Self.epoch
    return nanoseconds < 1_000_000_000
      ? GatehouseBSON.Date(seconds: seconds, nanoseconds: nanoseconds)
      : GatehouseBSON.Date(seconds: seconds + 1)
  }

  /// The nearest date to one of the store.
  init(_ stored: GatehouseBSON.Date) {
    let seconds = stored.seconds.subtractingReportingOverflow(Self.epoch)
    let whole = seconds.overflow ? Double(stored.seconds) : Double(seconds.partialValue)
    self.init(timeIntervalSinceReferenceDate: whole + Double(stored.nanoseconds) / 1e9)
  }
}

extension FoundationUUID {
  /// The UUID as the store has it.
  var stored: GatehouseBSON.UUID {
    withUnsafeBytes(of: uuid) { bytes in
      let words = (0..<2).map { word in
        bytes[(word * 8)..<(word * 8 + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      }
      return GatehouseBSON.UUID(high: words[0], low: words[1])
    }
  }

  /// The UUID that the store has.
  init(_ stored: GatehouseBSON.UUID) {
    var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    withUnsafeMutableBytes(of: &bytes) { bytes in
      for index in 0..<8 {
        let shift = UInt64(56 - index * 8)
        bytes[index] = UInt8(truncatingIfNeeded: stored.high >> shift)
        bytes[index + 8] = UInt8(truncatingIfNeeded: stored.low >> shift)
      }
    }
    self.init(uuid: bytes)
  }
}
