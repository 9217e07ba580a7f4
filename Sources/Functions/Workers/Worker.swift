internal import Glibc

/// A worker process and what it is doing.
///
///     idle ──call──▶ busy ──answer──▶ idle
///                    │  ▲
///           question ▼  │ reply
///                  waiting
///
/// @unchecked Sendable: Because only its pool touches it, under the pool's lock, but for `reader` and `errors`,
/// which only the pool's thread touches.
final class Worker: @unchecked Sendable {
  let tag: UInt64
  let process: ChildProcess
  var call: PendingCall?
  var served = 0
  /// Whether it has told that it has started; programs that speak lines don't.
  var isReady: Bool
  var reader: FrameReader
  /// When it closed its end of the channel in the middle of a call.
  var closed: UInt64?
  /// The last of what it wrote to standard error.
  private(set) var errors: [UInt8] = []
  /// What the socket had no room for.
  private var rest: ArraySlice<UInt8> = []

  private static let errorsLimit = 8192

  init(tag: UInt64, _ process: ChildProcess, reader: FrameReader) {
    self.tag = tag
    self.process = process
    self.reader = reader
    isReady = reader.framing == .lines
  }

  var isWriting: Bool { !rest.isEmpty }

  /// What became of it, once the channel is closed and its process has ended, or doesn't.
  func reason(for ending: FunctionError.Ending?) -> FunctionError.Ending {
    guard let ending else { return .closed }
    // What V8 says before it gives up.
    let isOutOfMemory = String(decoding: errors, as: UTF8.self).contains("heap out of memory")
    return isOutOfMemory ? .outOfMemory : ending
  }

  enum Delivery {
    case whole
    /// ``flush()`` must be called when there is room.
    case partial
    /// It has closed its end.
    case refused
  }

  func send(_ bytes: [UInt8]) -> Delivery {
    rest = rest.isEmpty ? bytes[...] : rest + bytes
    return flush()
  }

  func flush() -> Delivery {
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(process.channel, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        return .partial
      } else if errno != EINTR {
        rest = []
        return .refused
      }
    }
    rest = []
    return .whole
  }

  enum Reception {
    case open
    case closed
    /// It was closed before all was read that had been sent: that is what ECONNRESET means on these sockets.
    case unread
  }

  /// Reads what is there.
  func receive(_ buffer: UnsafeMutableRawBufferPointer) -> Reception {
    let count = read(process.channel, buffer.baseAddress, buffer.count)
    if count > 0 {
      reader.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      return .open
    }
    if count < 0, errno == EAGAIN || errno == EINTR { return .open }
    return count < 0 && errno == ECONNRESET ? .unread : .closed
  }

  /// Reads what is on standard error; false: it has closed it.
  func receiveErrors(_ buffer: UnsafeMutableRawBufferPointer) -> Bool {
    let count = read(process.errors, buffer.baseAddress, buffer.count)
    if count > 0 {
      errors += buffer[..<count]
      if errors.count > Self.errorsLimit { errors.removeFirst(errors.count - Self.errorsLimit) }
    }
    return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR))
  }

  /// What it wrote to standard error since the last time.
  func takeErrors(_ buffer: UnsafeMutableRawBufferPointer) -> [UInt8] {
    _ = receiveErrors(buffer)
    defer { errors = [] }
    return errors
  }
}
