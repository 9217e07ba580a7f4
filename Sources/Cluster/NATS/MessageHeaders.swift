/// The headers of a message: a line with the version and perhaps a status, then fields.
///
/// Source: ADR-4, <https://github.com/nats-io/nats-architecture-and-design>.
package struct MessageHeaders: Hashable, Sendable {
  /// A name, which is compared byte by byte, and a value.
  package struct Field: Hashable, Sendable {
    package let name: String
    package let value: String
  }

  /// The number behind the version: JetStream tells errors and heartbeats by it.
  package let status: Int?
  /// The text behind the number.
  package let reason: String
  package let fields: [Field]

  private static let version = "NATS/1.0"

  package init(_ fields: [Field] = []) {
    (status, reason, self.fields) = (nil, "", fields)
  }

  /// Reads the bytes up to the payload.
  package init(_ bytes: ArraySlice<UInt8>) throws(NATSProtocolError) {
    guard let text = String(validating: bytes, as: UTF8.self), text.hasPrefix(MessageHeaders.version),
      text.utf8.count >= 4, text.utf8.suffix(4).elementsEqual("\r\n\r\n".utf8)
    else { throw .malformedHeaders }
    // `\r\n` is one character.
    var lines = text.split(separator: "\r\n", omittingEmptySubsequences: false).dropLast(2)
    guard let first = lines.popFirst() else { throw .malformedHeaders }
    let line = first.dropFirst(MessageHeaders.version.count).drop { $0 == " " }
    let digits = line.prefix { $0.isASCII && $0.isNumber }
    guard line.isEmpty || digits.count == 3 else { throw .malformedHeaders }
    status = Int(digits)
    reason = String(line.dropFirst(digits.count).drop { $0 == " " })
    var fields: [Field] = []
    for line in lines {
      guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else { throw .malformedHeaders }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      fields.append(Field(name: String(line[..<colon]), value: String(value)))
    }
    self.fields = fields
  }

  /// The value of the first field of that name.
  package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

  /// The bytes of the fields, with the empty line at the end.
  var encoded: [UInt8] {
    var bytes = Array(MessageHeaders.version.utf8) + [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    for field in fields {
      let isClean = (field.name + field.value).utf8.allSatisfy {
        $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n")
      }
      precondition(isClean, "no name or value of ours ends its line")
      bytes += "\(field.name): \(field.value)\r\n".utf8
    }
    return bytes + "\r\n".utf8
  }
}
