extension Method {
  /// The method that the bytes name; nil when it is none of ours.
  init?(_ bytes: UnsafeRawBufferPointer) {
    switch bytes.count {
    case 3 where bytes.matches("GET"): self = .get
    case 3 where bytes.matches("PUT"): self = .put
    case 4 where bytes.matches("POST"): self = .post
    case 4 where bytes.matches("HEAD"): self = .head
    case 5 where bytes.matches("PATCH"): self = .patch
    case 5 where bytes.matches("QUERY"): self = .query
    case 6 where bytes.matches("DELETE"): self = .delete
    case 7 where bytes.matches("OPTIONS"): self = .options
    default: return nil
    }
  }
}
