/// The answer of another server, with whatever status.
public struct ClientResponse: Sendable {
  public internal(set) var status = 0
  public internal(set) var fields: [HeaderField] = []
  public internal(set) var content: [UInt8] = []

  init() {}

  /// Makes an answer, for simulations of another server.
  public init(status: Int, fields: [HeaderField], content: [UInt8]) {
    (self.status, self.fields, self.content) = (status, fields, content)
  }

  /// Returns the value of the first field of that name, in whatever case; nil: there is none.
  public func field(_ name: String) -> String? {
    let name = name.lowercased()
    return fields.first { $0.name.lowercased() == name }?.value
  }

  /// Takes a line of the head, with its end. The first line of a response begins it anew: an interim one (RFC 9110, §15.2) comes
  /// before it.
  mutating func take(line: UnsafeRawBufferPointer) {
    let text = String(decoding: line, as: UTF8.self)
    if text.hasPrefix("HTTP/") {
      fields = []
    } else if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) {
      fields.append(
        HeaderField(
          ClientResponse.trimmed(text[..<colon]), ClientResponse.trimmed(text[colon...].dropFirst())))
    }
  }

  private static func trimmed(_ text: Substring) -> String {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
    let end = text.lastIndex { !isSpace($0) }.map(text.index(after:)) ?? text.startIndex
    return String(text[..<end].drop(while: isSpace))
  }
}
