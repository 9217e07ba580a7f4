import GatehouseBSON

/// A request of an app's client, still without an address.
struct AppRequest: Sendable {
  let method: RLMHTTPMethod
  /// The path behind that of the interface.
  let path: String
  /// The content; nil: there is none.
  let content: GatehouseBSON.Value?

  init(_ method: RLMHTTPMethod, _ path: String, _ content: GatehouseBSON.Value? = nil) {
    self.method = method
    self.path = path
    self.content = content
  }

  /// A text as a part of a path or a query (RFC 3986, §2.3).
  static func escaped(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The answer to a request of an app's client.
struct AppAnswer: Sendable {
  let status: Int
  let isJSON: Bool
  /// The content; nil: there is none, or it is no Extended JSON.
  let value: GatehouseBSON.Value?

  init(_ response: RLMResponse) {
    status = response.httpStatusCode
    let type = response.headers.first { $0.key.lowercased() == "content-type" }?.value ?? ""
    isJSON = type.lowercased().hasPrefix("application/json")
    value = response.body.isEmpty ? nil : try? GatehouseBSON.Value(json: response.body)
  }
}

extension GatehouseBSON.Value {
  /// The member of a document; nil where there is none.
  func member(_ name: String) -> GatehouseBSON.Value? {
    if case .document(let document) = self { document[name] } else { nil }
  }

  /// The text; nil where it is none.
  var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The values in order; none where it is no array.
  var elements: [GatehouseBSON.Value] { if case .array(let elements) = self { elements } else { [] } }

  /// The text that a document has under a name. Throws where there is none.
  func requireText(_ name: String) throws(RLMAppError) -> String {
    guard let text = member(name)?.text, !text.isEmpty else { throw .incomplete(name) }
    return text
  }
}
