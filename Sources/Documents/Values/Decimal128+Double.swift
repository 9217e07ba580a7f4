import GatehouseBSON
import Glibc

extension Decimal128 {
  /// The double with 34 of its digits.
  init(exactly double: Double) {
    guard double.isFinite else {
      self = double.isNaN ? .nan : double < 0 ? -.infinity : .infinity
      return
    }
    self = Decimal128(Self.text(of: double, digits: 34)) ?? .nan
  }

  /// The digits in the form of `%e`, which the C library rounds correctly.
  private static func text(of double: Double, digits: Int) -> String {
    let bytes = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      let count = unsafe withVaList([Int32(digits - 1), double]) { arguments in
        unsafe vsnprintf(buffer.baseAddress, buffer.count, "%.*e", arguments)
      }
      return unsafe buffer.prefix(Int(count)).map { UInt8(bitPattern: $0) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
