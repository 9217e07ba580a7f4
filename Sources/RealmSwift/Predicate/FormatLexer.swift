/// Cuts the format of a predicate into tokens.
struct FormatLexer {
  static let lengthLimit = 1 << 18

  enum Token: Equatable {
    /// A word; escaped by `#` it is no keyword.
    case word(String, isEscaped: Bool)
    /// `$name`.
    case variable(String)
    /// `@count` and other operations.
    case operation(String)
    case integer(Int64)
    case double(Double)
    case string(String)
    /// `%@` and all that takes a value.
    case argument
    /// `%K`.
    case keyPathArgument
    case symbol(Symbol)
    case end
  }

  enum Symbol: String, CaseIterable {
    // Longer ones stand before their beginnings.
    case equals = "=="
    case assigns = "="
    case notEqual = "!="
    case lessOrGreater = "<>"
    case lessOrEqual = "<="
    case greaterOrEqual = ">="
    case less = "<"
    case greater = ">"
    case and = "&&"
    case or = "||"
    case not = "!"
    case power = "**"
    case times = "*"
    case plus = "+"
    case minus = "-"
    case divided = "/"
    case leftParenthesis = "("
    case rightParenthesis = ")"
    case leftBrace = "{"
    case rightBrace = "}"
    case leftBracket = "["
    case rightBracket = "]"
    case comma = ","
    case dot = "."
  }

  private let format: String
  private let bytes: [UInt8]
  private var position = 0

  init(_ format: String) throws(RealmPredicateError) {
    self.format = format
    bytes = Array(format.utf8)
    if bytes.count > Self.lengthLimit { throw .tooLong }
  }

  var unreadable: RealmPredicateError { .unreadable(format) }

  mutating func next() throws(RealmPredicateError) -> Token {
    while let byte = peek(), byte == 0x20 || 0x09...0x0D ~= byte { position += 1 }
    guard let byte = peek() else { return .end }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try string(until: byte))
    case UInt8(ascii: "%"): return try argument()
    case UInt8(ascii: "@"):
      position += 1
      return .operation("@" + (try word()))
    case UInt8(ascii: "$"):
      position += 1
      return .variable("$" + (try word()))
    case UInt8(ascii: "#"):
      position += 1
      return .word(try word(), isEscaped: true)
    case 0x30...0x39: return try number()
    case UInt8(ascii: ".") where peek(1).map({ 0x30...0x39 ~= $0 }) == true: return try number()
    default:
      if Self.beginsWord(byte) { return .word(try word(), isEscaped: false) }
      return .symbol(try symbol())
    }
  }

  private func peek(_ distance: Int = 0) -> UInt8? {
    position + distance < bytes.count ? bytes[position + distance] : nil
  }

  private static func beginsWord(_ byte: UInt8) -> Bool {
    0x41...0x5A ~= byte || 0x61...0x7A ~= byte || byte == UInt8(ascii: "_") || byte >= 0x80
  }

  private mutating func word() throws(RealmPredicateError) -> String {
    let start = position
    while let byte = peek(), Self.beginsWord(byte) || 0x30...0x39 ~= byte || byte == UInt8(ascii: "$") {
      position += 1
    }
    if position == start { throw unreadable }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func symbol() throws(RealmPredicateError) -> Symbol {
    // `=<` and `=>` are other spellings.
    for (text, symbol) in [("=<", Symbol.lessOrEqual), ("=>", .greaterOrEqual)] where isNext(text) {
      position += 2
      return symbol
    }
    for symbol in Symbol.allCases where isNext(symbol.rawValue) {
      position += symbol.rawValue.utf8.count
      return symbol
    }
    throw unreadable
  }

  private func isNext(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }
}

/// Values.
extension FormatLexer {
  private mutating func number() throws(RealmPredicateError) -> Token {
    if peek() == 0x30, peek(1).map({ $0 | 0x20 }) == UInt8(ascii: "x") {
      position += 2
      let digits = take { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 | 0x20 }
      guard let value = UInt64(digits, radix: 16) else { throw unreadable }
      return .integer(Int64(truncatingIfNeeded: value))
    }
    var text = take { 0x30...0x39 ~= $0 }
    var isInteger = true
    if peek() == UInt8(ascii: "."), peek(1).map({ 0x30...0x39 ~= $0 }) == true {
      isInteger = false
      position += 1
      text += "." + take { 0x30...0x39 ~= $0 }
    }
    if let letter = peek(), letter | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      position += 1
      text += "e"
      if let sign = peek(), sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
        position += 1
        text += sign == UInt8(ascii: "-") ? "-" : ""
      }
      text += take { 0x30...0x39 ~= $0 }
    }
    if let byte = peek(), Self.beginsWord(byte) { throw unreadable }
    if isInteger, let value = Int64(text) { return .integer(value) }
    guard let value = Double(text.hasPrefix(".") ? "0" + text : text) else { throw unreadable }
    return .double(value)
  }

  private mutating func take(while isTaken: (UInt8) -> Bool) -> String {
    let start = position
    while let byte = peek(), isTaken(byte) { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func string(until quote: UInt8) throws(RealmPredicateError) -> String {
    position += 1
    var text: [UInt8] = []
    while let byte = peek() {
      position += 1
      if byte == quote { return String(decoding: text, as: UTF8.self) }
      text += byte == UInt8(ascii: "\\") ? try escape() : [byte]
    }
    throw unreadable
  }

  private mutating func escape() throws(RealmPredicateError) -> [UInt8] {
    guard let byte = peek() else { throw unreadable }
    position += 1
    switch byte {
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "u"): return try character(digits: 4)
    case UInt8(ascii: "U"): return try character(digits: 8)
    case UInt8(ascii: "x"): return try character(digits: 2)
    // A backslash before anything else means that character itself.
    default: return [byte]
    }
  }

  private mutating func character(digits: Int) throws(RealmPredicateError) -> [UInt8] {
    guard position + digits <= bytes.count,
      let number = UInt32(String(decoding: bytes[position..<(position + digits)], as: UTF8.self), radix: 16),
      let scalar = Unicode.Scalar(number)
    else { throw unreadable }
    position += digits
    return Array(String(Character(scalar)).utf8)
  }

  /// `%@`, `%K`, and the conversions of `printf`, whose flags and lengths say nothing here: the argument has its type.
  private mutating func argument() throws(RealmPredicateError) -> Token {
    position += 1
    while let byte = peek(), "0123456789.-+ #hlqjztL".utf8.contains(byte) { position += 1 }
    guard let conversion = peek() else { throw unreadable }
    position += 1
    switch conversion {
    case UInt8(ascii: "K"): return .keyPathArgument
    case let other where "@dDiuUxXoOcCsSfFeEgGaA".utf8.contains(other): return .argument
    default: throw unreadable
    }
  }
}
