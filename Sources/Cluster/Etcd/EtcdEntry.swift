internal import GatehouseBSON

/// An entry as the value of a key: the identity of its append, a line feed, its bytes.
struct EtcdEntry: Hashable, Sendable {
  let position: UInt64
  let identity: String
  let bytes: [UInt8]

  static func value(_ entry: [UInt8], identity: String) -> Value {
    EtcdKeys.bytes(Array(identity.utf8) + [UInt8(ascii: "\n")] + entry)
  }

  /// Reads a key and its value; nil: they are none of an entry.
  init?(_ pair: Value, _ keys: EtcdKeys) {
    guard let pair = pair.document, let position = keys.position(of: pair["key"]),
      let value = EtcdKeys.decode(pair["value"]), let end = value.firstIndex(of: UInt8(ascii: "\n")),
      let identity = String(validating: value[..<end], as: UTF8.self)
    else { return nil }
    (self.position, self.identity, bytes) = (position, identity, Array(value[(end + 1)...]))
  }
}
