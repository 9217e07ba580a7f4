import GatehouseBSON

extension String {
  /// The text with everything but unreserved characters (RFC 3986 §2.3) percent-encoded.
  var percentEncoded: String {
    var encoded: [UInt8] = []
    encoded.reserveCapacity(utf8.count)
    appendPercentEncoded(to: &encoded)
    return String(decoding: encoded, as: UTF8.self)
  }

  /// Appends ``percentEncoded``.
  func appendPercentEncoded(to bytes: inout [UInt8]) {
    let text = utf8Span.span
    bytes.append(addingCapacity: text.count * 3) { encoded in
      for index in text.indices {
        let byte = text[index]
        if byte.isUnreserved {
          encoded.append(byte)
        } else {
          encoded.append(UInt8(ascii: "%"))
          encoded.append(Hexadecimal.digit(byte >> 4, isUpperCase: true))
          encoded.append(Hexadecimal.digit(byte & 15, isUpperCase: true))
        }
      }
    }
  }
}

extension UInt8 {
  /// Whether it is an ASCII letter, a digit, or one of `-._~`.
  fileprivate var isUnreserved: Bool {
    switch self {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
