/// Numbers, and the dates that begin like them.
extension Lexer {
  /// A token that begins with a digit.
  mutating func number() -> Token.Kind {
    if date() { return .date }
    if peek() == UInt8(ascii: "0"), peek(1) | 0x20 == UInt8(ascii: "x"), peek(2).isHexDigit {
      advance(2)
      skip { $0.isHexDigit }
      return .number
    }
    return digits() ? .float : .natural
  }

  /// A token that begins with a sign or a point.
  mutating func signOrNumber() -> Token.Kind {
    let first = peek()
    if first == UInt8(ascii: ".") {
      if peek(1).isDigit {
        _ = digits()
        return .float
      }
      advance()
      return .dot
    }
    if peek(1).isDigit || peek(1) == UInt8(ascii: ".") && peek(2).isDigit {
      advance()
      return digits() ? .float : .number
    }
    return signedWord() ?? sign(first)
  }

  private mutating func sign(_ byte: UInt8) -> Token.Kind {
    advance()
    return byte == UInt8(ascii: "+") ? .plus : .minus
  }

  private mutating func signedWord() -> Token.Kind? {
    let end = bytes[(position + 1)...].firstIndex { !$0.isLetter } ?? bytes.count
    switch Keywords.kind(of: bytes[(position + 1)..<end]) {
    case .infinity?:
      position = end
      return .infinity
    case .nan?:
      position = end
      return .nan
    default: return nil
    }
  }

  /// Digits, point, digits, exponent, `f`; tells whether there was more than digits.
  private mutating func digits() -> Bool {
    skip { $0.isDigit }
    var isFloat = false
    if peek() == UInt8(ascii: ".") {
      isFloat = true
      advance()
      skip { $0.isDigit }
    }
    if exponent() { isFloat = true }
    if peek() == UInt8(ascii: "f") {
      isFloat = true
      advance()
    }
    return isFloat
  }

  private mutating func exponent() -> Bool {
    guard peek() | 0x20 == UInt8(ascii: "e") else { return false }
    let signed = peek(1) == UInt8(ascii: "+") || peek(1) == UInt8(ascii: "-")
    guard peek(signed ? 2 : 1).isDigit else { return false }
    advance(signed ? 2 : 1)
    skip { $0.isDigit }
    return true
  }

  /// `YYYY-M-D@H:M:S[:N]`, also with `T`; stays where it is if there is none.
  private mutating func date() -> Bool {
    let start = position
    let dash = UInt8(ascii: "-")
    let colon = UInt8(ascii: ":")
    if run(), skip(dash), run(), skip(dash), run(), skip(UInt8(ascii: "@")) || skip(UInt8(ascii: "T")), run(),
      skip(colon), run(), skip(colon), run()
    {
      if peek() == colon, peek(1).isDigit {
        advance()
        _ = run()
      }
      return true
    }
    position = start
    return false
  }

  /// `T<seconds>:<nanoseconds>`; stays where it is if there is none.
  mutating func timestamp() -> Bool {
    let start = position
    if skip(UInt8(ascii: "T")), signedRun(), skip(UInt8(ascii: ":")), signedRun() { return true }
    position = start
    return false
  }

  private mutating func signedRun() -> Bool {
    _ = skip(UInt8(ascii: "-")) || skip(UInt8(ascii: "+"))
    return run()
  }

  private mutating func run() -> Bool {
    let start = position
    skip { $0.isDigit }
    return position > start
  }
}
