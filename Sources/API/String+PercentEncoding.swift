extension String {
  /// The text with everything but unreserved characters (RFC 3986 §2.3) percent-encoded.
  var percentEncoded: String {
    var encoded: [UInt8] = []
    encoded.reserveCapacity(utf8.count)
    for byte in utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        encoded.append(byte)
      default:
        encoded.append(UInt8(ascii: "%"))
        encoded.append(String.hexadecimal[Int(byte >> 4)])
        encoded.append(String.hexadecimal[Int(byte & 15)])
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  private static let hexadecimal = Array("0123456789ABCDEF".utf8)
}
