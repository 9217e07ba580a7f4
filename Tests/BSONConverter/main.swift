// Converts between representations for `Scripts/oracle-bson`, which compares with an independent
// implementation. Not part of the product.
//
// A request is one byte that names the conversion, four bytes of length (little-endian), and the input; an
// answer is 0 and the output, or 1 and the error, framed alike.

import GatehouseBSON
import Glibc

func receive(_ count: Int) -> [UInt8]? {
  var bytes = [UInt8](repeating: 0, count: count)
  var received = 0
  while received < count {
    let length = bytes.withUnsafeMutableBytes {
      read(STDIN_FILENO, $0.baseAddress?.advanced(by: received), count - received)
    }
    guard length > 0 else { return nil }
    received += length
  }
  return bytes
}

func send(_ bytes: [UInt8]) {
  var sent = 0
  while sent < bytes.count {
    let length = bytes.withUnsafeBytes {
      write(STDOUT_FILENO, $0.baseAddress?.advanced(by: sent), bytes.count - sent)
    }
    guard length > 0 else { exit(1) }
    sent += length
  }
}

func readFrame() -> (kind: UInt8, content: [UInt8])? {
  guard let head = receive(5) else { return nil }
  let length = head[1...].reversed().reduce(0) { $0 << 8 | Int($1) }
  return receive(length).map { (head[0], $0) }
}

func writeFrame(_ kind: UInt8, _ content: [UInt8]) {
  let head = [kind] + (0..<4).map { UInt8(truncatingIfNeeded: content.count >> (8 * $0)) }
  send(head + content)
}

struct UnknownConversion: Error {}

func convert(_ kind: UInt8, _ content: [UInt8]) throws -> [UInt8] {
  switch UnicodeScalar(kind) {
  case "e": return Value.document(try Document(bson: content)).extendedJSON
  case "p": return Value.document(try Document(bson: content)).plainJSON
  case "b":
    guard case .document(let document) = try Value(json: content) else { throw UnknownConversion() }
    return try document.bson()
  case "d": return Array(try calculate(String(decoding: content, as: UTF8.self)).utf8)
  default: throw UnknownConversion()
  }
}

/// The result of `LEFT OPERATOR RIGHT`; `?` compares.
func calculate(_ expression: String) throws -> String {
  let words = expression.split(separator: " ").map(String.init)
  guard words.count == 3, let left = Decimal128(words[0]), let right = Decimal128(words[2]) else {
    throw UnknownConversion()
  }
  switch words[1] {
  case "+": return (left + right).description
  case "-": return (left - right).description
  case "*": return (left * right).description
  case "/": return (left / right).description
  case "?": return String(Decimal128.compare(left, right))
  default: throw UnknownConversion()
  }
}

while let (kind, content) = readFrame() {
  do {
    writeFrame(0, try convert(kind, content))
  } catch {
    writeFrame(1, Array(String(describing: error).utf8))
  }
}
