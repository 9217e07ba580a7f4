import GatehouseBSON

/// Events of streams as clients of App Services read them, which decode `%25`, `%0A` and `%0D` in their data (realm-web,
/// `WatchStream.ts`).
enum AppServicesEvent {
  /// Shows at once that the stream is open: some clients wait for the first byte.
  static let open = Array(": open\n\n".utf8)
  static let heartbeat = Array(":\n\n".utf8)

  /// An event with canonical Extended JSON.
  static func message(_ json: [UInt8]) -> [UInt8] { frame("message", json) }

  /// The event that ends a stream with an error.
  static func error(_ text: String, code: String) -> [UInt8] {
    frame("error", Value.document(["error": .string(text), "error_code": .string(code)]).extendedJSON)
  }

  private static func frame(_ name: String, _ json: [UInt8]) -> [UInt8] {
    var bytes = Array("event: \(name)\ndata: ".utf8)
    for byte in json {
      if byte == UInt8(ascii: "%") { bytes += "%25".utf8 } else { bytes.append(byte) }
    }
    bytes += "\n\n".utf8
    return bytes
  }
}
