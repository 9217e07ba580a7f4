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

extension UnsafeRawBufferPointer {
  /// Whether the bytes are those of `text`.
  func matches(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for index in 0..<count where self[index] != text.utf8Start[index] { return false }
    return true
  }

  /// Whether the bytes are those of `text`, which is in lower case, but for the case of ASCII letters.
  func matchesIgnoringCase(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for index in 0..<count where self[index].lowercased != text.utf8Start[index] { return false }
    return true
  }

  /// The bytes from `start` to before `end`.
  func part(_ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: self[start..<end])
  }

  /// Without spaces and tabs at either end.
  var trimmed: UnsafeRawBufferPointer {
    var start = 0
    var end = count
    while start < end, self[start].isWhitespace { start += 1 }
    while end > start, self[end - 1].isWhitespace { end -= 1 }
    return part(start, end)
  }

  /// The elements of a comma-separated list, trimmed, empty ones included (RFC 9110 §5.6.1).
  func forEachListElement(_ body: (UnsafeRawBufferPointer) -> Void) {
    var start = 0
    for index in 0...count where index == count || self[index] == UInt8(ascii: ",") {
      body(part(start, index).trimmed)
      start = index + 1
    }
  }
}
