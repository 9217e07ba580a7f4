import GatehouseHTTP

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
