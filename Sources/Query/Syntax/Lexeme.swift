internal import GatehouseBSON

/// The text of a token, and what it stands for.
struct Lexeme {
  let bytes: ArraySlice<UInt8>
  /// Where it begins, in bytes from the beginning of the query.
  let offset: Int

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Returns the number that follows a prefix of so many bytes.
  func number(behind prefix: Int = 0, limit: Int) throws(QueryError) -> Int {
    guard let number = Int(String(decoding: bytes.dropFirst(prefix), as: UTF8.self)), number <= limit else {
      throw .numberOutOfRange(offset: offset)
    }
    return number
  }

  /// The name of a property, its escaped blanks decoded.
  var name: String {
    guard bytes.contains(UInt8(ascii: "\\")) else { return text }
    var name: [UInt8] = []
    var isEscaped = false
    for byte in bytes {
      switch (isEscaped, Unicode.Scalar(byte)) {
      case (false, "\\"): isEscaped = true
      case (false, _): name.append(byte)
      case (true, "n"): (isEscaped, name) = (false, name + [0x0A])
      case (true, "r"): (isEscaped, name) = (false, name + [0x0D])
      case (true, "t"): (isEscaped, name) = (false, name + [0x09])
      case (true, _): (isEscaped, name) = (false, name + [byte])
      }
    }
    return String(decoding: name, as: UTF8.self)
  }

  /// The number with a point or exponent, or with the suffix `f`.
  var float: SyntaxTree.Literal {
    let isFloat32 = bytes.last == UInt8(ascii: "f")
    return .float(String(decoding: isFloat32 ? bytes.dropLast() : bytes, as: UTF8.self), isFloat32: isFloat32)
  }

  /// The string between the quotes, its escapes decoded.
  var string: String {
    let quoted = bytes.dropFirst().dropLast()
    return quoted.contains(UInt8(ascii: "\\"))
      ? Self.decoded(quoted) : String(decoding: quoted, as: UTF8.self)
  }

  /// realm-core checks escapes but keeps them as they are; here they mean what they mean everywhere else.
  private static func decoded(_ text: ArraySlice<UInt8>) -> String {
    var scalars = String.UnicodeScalarView()
    var rest = Substring(decoding: text, as: UTF8.self).unicodeScalars
    while let scalar = rest.popFirst() {
      guard scalar == "\\", let escape = rest.popFirst() else {
        scalars.append(scalar)
        continue
      }
      scalars.append(escape == "u" ? codePoint(&rest) : simpleEscape(escape))
    }
    return String(scalars)
  }

  private static func simpleEscape(_ escape: Unicode.Scalar) -> Unicode.Scalar {
    switch escape {
    case "b": "\u{8}"
    case "f": "\u{C}"
    case "n": "\n"
    case "r": "\r"
    case "t": "\t"
    case "0": "\0"
    default: escape
    }
  }

  /// Four hexadecimal digits, or two surrogates of four.
  private static func codePoint(_ rest: inout Substring.UnicodeScalarView) -> Unicode.Scalar {
    let unit = codeUnit(&rest)
    guard 0xD800..<0xDC00 ~= unit, rest.starts(with: ["\\", "u"]) else {
      return Unicode.Scalar(unit) ?? "\u{FFFD}"
    }
    var ahead = rest.dropFirst(2)
    let low = codeUnit(&ahead)
    guard 0xDC00..<0xE000 ~= low else { return "\u{FFFD}" }
    rest = ahead
    return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
  }

  private static func codeUnit(_ rest: inout Substring.UnicodeScalarView) -> UInt32 {
    var unit: UInt32 = 0
    for scalar in rest.prefix(4) {
      unit =
        unit << 4
        | UInt32(scalar.properties.numericType == nil ? scalar.value | 0x20 - 87 : scalar.value - 48)
    }
    rest = rest.dropFirst(4)
    return unit
  }

  /// The data of `B64"…"`.
  func base64() throws(QueryError) -> [UInt8] {
    let word = String(decoding: bytes.dropFirst(4).dropLast(), as: UTF8.self)
    guard let data = Base64.decode(word) else { throw .invalidBase64(offset: offset) }
    return data
  }
}
