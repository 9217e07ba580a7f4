internal import GatehouseBSON

/// The keys of a log in etcd, as its JSON has them, in base 64.
struct EtcdKeys: Sendable {
  private let prefix: String

  init(_ name: LogName) { prefix = "gatehouse/\(name.text)/" }

  /// The key whose value is the last position.
  var last: Value { EtcdKeys.bytes(Array("\(prefix)last".utf8)) }

  /// The key of an entry: positions are in the order of their keys.
  func entry(_ position: UInt64) -> Value {
    let digits = String(position, radix: 16)
    let padding = String(repeating: "0", count: 16 - digits.count)
    return EtcdKeys.bytes(Array("\(prefix)log/\(padding)\(digits)".utf8))
  }

  /// The key behind those of all entries.
  var end: Value { EtcdKeys.bytes(Array("\(prefix)log0".utf8)) }

  /// The first key of the log, and the one behind its last.
  var all: (first: Value, end: Value) {
    (EtcdKeys.bytes(Array(prefix.utf8)), EtcdKeys.bytes(Array("\(prefix.dropLast())0".utf8)))
  }

  /// Reads the position of an entry's key; nil: it is none.
  func position(of key: Value?) -> UInt64? {
    guard let bytes = EtcdKeys.decode(key) else { return nil }
    let start = Array("\(prefix)log/".utf8)
    guard bytes.starts(with: start), bytes.count == start.count + 16 else { return nil }
    return UInt64(String(decoding: bytes[start.count...], as: UTF8.self), radix: 16)
  }

  static func bytes(_ bytes: [UInt8]) -> Value { .string(Base64.encode(bytes)) }

  static func decode(_ value: Value?) -> [UInt8]? { value?.text.flatMap { Base64.decode($0) } }
}
