/// A document key in every spelling that a writer needs, made once and used for every row.
public struct PreparedKey: Hashable, Sendable {
  public let name: String
  /// The key as JSON: a comma, the key quoted and escaped, a colon.
  @usableFromInline let json: [UInt8]
  /// The key as BSON: a `cstring`.
  @usableFromInline let cString: [UInt8]

  public init(_ name: String) {
    self.name = name
    var text = name
    var json: [UInt8] = [0x2C, 0x22]
    text.withUTF8 { json.appendEscaped($0) }
    self.json = json + [0x22, 0x3A]
    cString = Array(name.utf8) + [0]
  }
}
