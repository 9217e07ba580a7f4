/// Output that the socket has not taken.
struct UnsentBytes {
  private var bytes: [UInt8] = []
  /// Where in `bytes` those begin that were not sent.
  private var start = 0

  init() {}

  /// The part of `bytes` from `start` on.
  init(_ bytes: [UInt8], from start: Int) {
    precondition(start >= 0 && start <= bytes.count, "no more has gone than there was")
    self.bytes = bytes
    self.start = start
  }

  var count: Int { bytes.count - start }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ more: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: more)
  }

  func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
  }

  /// The socket has taken `count` bytes; when none are left their memory is given back.
  mutating func removeFirst(_ count: Int) {
    precondition(count >= 0 && count <= self.count, "a socket takes no more than it was given")
    start += count
    if isEmpty { self = UnsentBytes() }
  }
}
