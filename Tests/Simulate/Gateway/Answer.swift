import CGatehouseSimulation
import GatehouseBSON
import GatehouseHTTP

/// A response, read to its end.
struct Answer {
  let status: Int
  let fields: Fields
  let content: [UInt8]
  /// The open stream, where it is one.
  let source: (any PushSource)?

  init(_ response: Response) async throws {
    status = Int(response.status.rawValue)
    fields = response.fields
    switch response.body {
    case .empty: (content, source) = ([], nil)
    case .bytes(let bytes): (content, source) = (bytes, nil)
    case .pushed(let pushed): (content, source) = ([], pushed)
    case .stream(let write):
      let collector = Collector()
      try await write(collector)
      (content, source) = (await collector.bytes, nil)
    }
  }

  /// An answer as a client has read it from its connection.
  init(status: Int, fields: Fields, content: [UInt8], source: (any PushSource)?) {
    (self.status, self.fields, self.content, self.source) = (status, fields, content, source)
  }

  var text: String { String(decoding: content, as: UTF8.self) }

  /// The commit that a write made.
  var version: Int64? { fields["realm-version"].flatMap(Int64.init) }

  var value: Value { get throws { try Value(json: content, as: .plain) } }
}

/// Keeps what is streamed.
private actor Collector: BodyWriter {
  private(set) var bytes: [UInt8] = []

  func write(_ bytes: [UInt8]) { self.bytes += bytes }
}

extension Value {
  subscript(key: String) -> Value? {
    guard case .document(let document) = self else { return nil }
    return document[key]
  }

  var integer: Int? {
    switch self {
    case .int32(let number): Int(number)
    case .int64(let number): Int(number)
    default: nil
    }
  }

  var text: String? { if case .string(let text) = self { text } else { nil } }
  var values: [Value]? { if case .array(let values) = self { values } else { nil } }
}
