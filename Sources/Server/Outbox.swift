internal import HTTP

/// What the connections of one loop have written, one part behind the other, until it is sent.
///
/// The answers to a batch of requests are made in a row and sent in a row. Each of them made and sent in turn, the
/// processor would change between the code of the program and that of the kernel, and fetch both anew, for every
/// request: a bare epoll loop is a tenth faster that way, too.
struct Outbox: ~Copyable {
  /// What a connection has written without another in between.
  private struct Part {
    let connection: SocketConnection
    let range: Range<Int>
  }

  /// Whose output goes to the part that ``claim(for:)`` has begun.
  var writer: ResponseWriter
  private var parts: [Part] = []
  /// The first part that has not been sent.
  private var next = 0
  private var current: SocketConnection?
  /// Where the current part begins.
  private var start = 0

  /// How much may wait, lest the first of many answers be late.
  private static let limits = (parts: 64, bytes: 128 * 1024)

  init(writer: consuming ResponseWriter) {
    self.writer = writer
  }

  /// Whether what is there should be sent before more is made.
  var isFull: Bool { parts.count >= Self.limits.parts || writer.output.count >= Self.limits.bytes }

  /// Begins a part, unless the connection's is the current one.
  mutating func claim(for connection: SocketConnection) {
    if current === connection { return }
    endPart()
    current = connection
    start = writer.output.count
    connection.partCount += 1
  }

  /// Whether nobody has written since that connection began to.
  func isCurrent(_ connection: SocketConnection) -> Bool { current === connection }

  /// The current part.
  var currentBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: writer.output.bytes[start...]) }

  /// Forgets the current part.
  mutating func dropCurrent() {
    writer.output.removeLast(writer.output.count - start)
    current?.partCount -= 1
    current = nil
  }

  private mutating func endPart() {
    guard let connection = current else { return }
    current = nil
    // An empty one, too: the connection may have to do something once all that is its own has been sent.
    parts.append(Part(connection: connection, range: start..<writer.output.count))
  }

  /// The connection whose turn it is to send, and what; nil when there is nothing, and the memory is used anew.
  mutating func takeNext() -> (SocketConnection, UnsafeRawBufferPointer)? {
    if next == parts.count { endPart() }
    guard next < parts.count else {
      parts.removeAll(keepingCapacity: true)
      next = 0
      writer.output.removeAll()
      return nil
    }
    let part = parts[next]
    next += 1
    part.connection.partCount -= 1
    return (part.connection, UnsafeRawBufferPointer(rebasing: writer.output.bytes[part.range]))
  }
}
