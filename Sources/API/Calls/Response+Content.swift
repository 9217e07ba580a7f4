import HTTP
import Telemetry

extension Response {
  /// An answer in the media type that was negotiated; without content, 200 becomes 204.
  init(status: Status, content: [UInt8]?, _ mediaType: MediaType) {
    guard let content else {
      self.init(status: status == .ok ? .noContent : status)
      return
    }
    self.init(status: status, body: .bytes(content))
    fields.append("content-type", mediaType.name)
    fields.append("vary", "accept")
  }

  /// 304: the client has this representation.
  init(notModified tag: EntityTag) {
    self.init(status: .notModified)
    fields.append(tag)
    fields.append("vary", "accept")
  }

  /// The answer to OPTIONS.
  init(allowing methods: [Method]) {
    self.init(status: .noContent)
    fields.append("allow", methods.map(\.rawValue).joined(separator: ", "))
    guard methods.contains(.query) else { return }
    fields.append("accept-query", Endpoint.queryObjects.reads.map(\.name).joined(separator: ", "))
  }

  /// A word for probes and people.
  init(text: StaticString) {
    self.init(status: .ok, body: .bytes(Array("\(text)\n".utf8)))
    fields.append("content-type", "text/plain; charset=utf-8")
    fields.append("cache-control", "no-store")
  }

  /// What the instruments say.
  init(metrics: Registry) {
    self.init(status: .ok, body: .bytes(metrics.render()))
    fields.append("content-type", Registry.mediaType)
    fields.append("cache-control", "no-store")
  }

  /// The OpenAPI document. Media type: RFC 9512.
  init(contract: [UInt8]) {
    self.init(status: .ok, body: .bytes(contract))
    fields.append("content-type", "application/yaml")
  }
}

extension Fields {
  mutating func append(_ tag: EntityTag) {
    append("etag", tag.text)
  }

  /// The commit that a write made.
  mutating func append(realmVersion version: Int64) {
    append("realm-version", String(version))
  }
}
