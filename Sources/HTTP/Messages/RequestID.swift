/// A request's identifier in answers and logs.
public enum RequestID: Hashable, Sendable {
  /// Made here.
  case made(UInt64)
  /// Taken from the request's `x-request-id`.
  case given(String)

  /// A given id, if it is well-formed: 1 to 128 of `A-Z a-z 0-9 . _ - + / =`.
  public init?(given text: String) {
    let isWellFormed = text.utf8.allSatisfy { byte in
      byte.decimalDigit != nil || (byte | 0x20) &- 0x61 < 26 || Self.marks.contains(byte)
    }
    guard isWellFormed, (1...128).contains(text.utf8.count) else { return nil }
    self = .given(text)
  }

  private static let marks: [UInt8] = Array("._-+/=".utf8)
}

extension RequestID: CustomStringConvertible {
  /// The id as it stands in answers and logs; 16 hexadecimal digits if it was made here.
  public var description: String {
    switch self {
    case .given(let text): return text
    case .made(let number):
      let digits = String(number, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }
  }
}

/// Makes ids that do not repeat: SplitMix64 from a random start.
public struct RequestIDSource: Sendable {
  private var state: UInt64

  public init(seed: UInt64 = .random(in: .min ... .max)) {
    state = seed
  }

  public mutating func next() -> RequestID {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return .made(mixed ^ mixed >> 31)
  }
}
