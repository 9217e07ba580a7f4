internal import GatehouseBSON

/// The server's first message: what it is, and what it wants.
struct ServerInfo: Hashable, Sendable {
  let version: String
  /// The most bytes of a message.
  let maximumPayload: Int
  let requiresTLS: Bool
  /// Text that a client signs to prove who it is.
  let nonce: String?
  /// Other servers of the cluster, as `host:port`.
  let addresses: [ServerAddress]

  init?(_ json: [UInt8]) {
    guard case .document(let info)? = try? Value(json: json, as: .plain) else { return nil }
    guard let version = info["version"]?.text, let maximum = info["max_payload"]?.number else { return nil }
    self.version = version
    maximumPayload = Int(clamping: maximum)
    requiresTLS = info["tls_required"] == .bool(true)
    nonce = info["nonce"]?.text
    guard case .array(let urls)? = info["connect_urls"] else {
      addresses = []
      return
    }
    // More of them than a cluster has would only be memory.
    addresses = urls.prefix(64).compactMap { $0.text.flatMap { ServerAddress(hostAndPort: $0) } }
  }
}

extension Value {
  var text: String? { if case .string(let text) = self { text } else { nil } }

  var number: Int64? {
    switch self {
    case .int32(let number): Int64(number)
    case .int64(let number): number
    default: nil
    }
  }

  var document: Document? { if case .document(let document) = self { document } else { nil } }
}
