/// The codings of all Transfer-Encoding lines of a head together (RFC 9112 §6.1).
struct TransferCodings: Sendable {
  private(set) var isPresent = false
  private var chunkedCount = 0
  private var otherCount = 0
  private var malformedCount = 0
  private var endInChunked = false

  /// Whether the last coding, and only that, is `chunked`.
  var endInOneChunked: Bool { malformedCount == 0 && chunkedCount == 1 && endInChunked }

  /// Whether `chunked` is all there is: no other coding is implemented.
  var areKnown: Bool { otherCount == 0 }

  /// Takes the value of one line.
  mutating func append(_ value: UnsafeRawBufferPointer) {
    isPresent = true
    value.forEachListElement { coding in
      endInChunked = coding.matchesIgnoringCase("chunked")
      if endInChunked {
        chunkedCount += 1
      } else if coding.isToken {
        otherCount += 1
      } else {
        malformedCount += 1
      }
    }
  }
}
