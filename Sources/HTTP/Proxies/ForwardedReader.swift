/// Reads the field Forwarded (RFC 7239 §4) strictly: where a quotation mark of a client's would change the meaning of
/// what a proxy has written behind it, nothing of the field is of use.
struct ForwardedReader {
  private struct Malformed: Error {}

  private let bytes: [UInt8]
  private var position = 0

  private init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// Returns the nodes that the elements name as `for`, in their order; nil for those that name no address, or none at
  /// all. Nil instead of the list: it is malformed.
  static func nodes(in text: String) -> [PeerAddress?]? {
    var reader = ForwardedReader(text)
    return try? reader.readElements()
  }

  private mutating func readElements() throws(Malformed) -> [PeerAddress?] {
    var nodes: [PeerAddress?] = []
    repeat {
      try readElement(into: &nodes)
    } while take(UInt8(ascii: ","))
    guard position == bytes.count else { throw Malformed() }
    return nodes
  }

  /// Reads pairs with semicolons between them. An element without pairs is none (RFC 9110 §5.6.1.2).
  private mutating func readElement(into nodes: inout [PeerAddress?]) throws(Malformed) {
    var node: [UInt8]?
    var isEmpty = true
    repeat {
      skipSpace()
      let name = takeToken { $0.isTokenCharacter }
      if !name.isEmpty {
        isEmpty = false
        guard take(UInt8(ascii: "=")) else { throw Malformed() }
        let value = try takeValue()
        if name.lowercased() == "for" {
          guard node == nil else { throw Malformed() }
          node = value
        }
        skipSpace()
      }
    } while take(UInt8(ascii: ";"))
    if !isEmpty { nodes.append(node.flatMap { PeerAddress(node: $0[...]) }) }
  }

  private mutating func skipSpace() {
    while position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 { position += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func takeToken(_ isPart: (UInt8) -> Bool) -> String {
    let start = position
    while position < bytes.count, isPart(bytes[position]) { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  /// Takes a token or a quoted string. Many proxies write addresses with colons without the quotation marks.
  private mutating func takeValue() throws(Malformed) -> [UInt8] {
    guard take(UInt8(ascii: "\"")) else {
      let value = takeToken {
        $0.isTokenCharacter || [UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]")].contains($0)
      }
      guard !value.isEmpty else { throw Malformed() }
      return Array(value.utf8)
    }
    var value: [UInt8] = []
    while position < bytes.count {
      if take(UInt8(ascii: "\"")) { return value }
      if take(UInt8(ascii: "\\")), position == bytes.count { break }
      value.append(bytes[position])
      position += 1
    }
    throw Malformed()
  }
}
