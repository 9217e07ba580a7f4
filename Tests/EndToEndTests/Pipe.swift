import GatehouseTestSupport
import Glibc

/// A pipe to or from a child.
struct Pipe: ~Copyable {
  let reading: Int32
  private(set) var writing: Int32

  init() throws {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw SystemError(call: "pipe", code: errno) }
    (reading, writing) = (ends[0], ends[1])
    // The child gets its end by `dup2`, which clears the flag.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  }

  deinit {
    close(reading)
    if writing >= 0 { close(writing) }
  }

  /// Leaves the child as the only one who writes: when it is gone, reading ends.
  mutating func closeWriting() {
    close(writing)
    writing = -1
  }

  /// Writes all of it; false: the other side is gone.
  func write(_ text: String) -> Bool {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(writing, $0.baseAddress, $0.count) }
      guard count > 0 else { return false }
      bytes = bytes.dropFirst(count)
    }
    return true
  }

  /// Reads until the text so far satisfies the condition, or the other side is gone.
  func read(until isEnough: (String) -> Bool) -> String {
    var text: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while !isEnough(String(decoding: text, as: UTF8.self)) {
      let count = Glibc.read(reading, &piece, piece.count)
      guard count > 0 else { break }
      text += piece[..<count]
    }
    return String(decoding: text, as: UTF8.self)
  }
}
