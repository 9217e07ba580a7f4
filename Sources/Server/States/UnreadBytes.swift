/// Bytes that came together with a request and wait for its answer.
struct UnreadBytes {
  private(set) var bytes: [UInt8] = []
  /// Where in ``bytes`` those begin that were not handled.
  private(set) var start = 0
  /// Whether handling stopped early: there may be more to do even if no byte is left, such as to tell that the content
  /// is complete.
  var isInterrupted = false

  /// Whether bytes wait.
  var hasBytes: Bool { start < bytes.count }

  /// Whether there is something to handle before anything is read.
  var needsHandling: Bool { isInterrupted || hasBytes }

  /// Adds what has come while others wait.
  mutating func append(_ more: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: more)
  }

  /// Keeps what is left of input, where nothing else waits.
  mutating func keep(_ rest: Slice<UnsafeRawBufferPointer>) {
    precondition(!hasBytes, "what is kept comes behind nothing else")
    bytes = Array(rest)
    start = 0
  }

  /// The bytes before `position` have been handled; when none are left their memory is given back.
  mutating func advance(to position: Int) {
    precondition(position >= start && position <= bytes.count, "bytes are handled once, in their order")
    start = position
    if !hasBytes { removeAll() }
  }

  mutating func removeAll() {
    bytes = []
    start = 0
  }
}
