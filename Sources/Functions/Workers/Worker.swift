internal import GatehouseSharing
internal import Glibc

/// A worker process and the calls that it has been handed, which it answers one after the other.
///
///     idle ──call──▶ busy ──the last answer──▶ idle
///                    │  ▲
///           question ▼  │ reply
///                  waiting
///
/// @unchecked Sendable: Because only its pool touches it, under the pool's lock, but for `reader` and `errors`,
/// which only the pool's thread touches.
final class Worker: @unchecked Sendable {
  /// The most calls of a fast worker at once. Linux lets ten packets wait (`net.unix.max_dgram_qlen`).
  static let depth = 8

  let tag: UInt64
  let process: ChildProcess
  /// The worker's calls in order: it has begun none behind the first.
  private(set) var calls: [PendingCall] = []
  private(set) var served = 0
  private(set) var answered = 0
  /// Whether the worker's last call was a short one.
  var isFast = false
  /// Whether the worker has reported that it has started; programs that speak lines don't.
  var isReady: Bool
  var isEnded = false
  var reader: FrameReader
  var channel: Outbox
  var replies: Outbox
  /// The time at which the worker closed its end of the channel in the middle of a call, and whether it had left
  /// messages unread.
  var closed: UInt64?
  var wasUnread = false
  /// The end of the worker's standard error.
  private(set) var errors: [UInt8] = []

  private static let errorsLimit = 8192

  init(tag: UInt64, _ process: ChildProcess, reader: FrameReader) {
    self.tag = tag
    self.process = process
    self.reader = reader
    channel = Outbox(process.channel)
    replies = Outbox(process.replies)
    isReady = reader.framing == .lines
  }

  /// The call that the worker may have begun.
  var current: PendingCall? { calls.first }

  /// Whether one of the worker's calls is of such a caller.
  func holds(where condition: (Caller) -> Bool) -> Bool {
    calls.contains { condition($0.caller) }
  }

  func take(_ call: PendingCall) {
    precondition(
      !isEnded && calls.count < Worker.depth, "a worker that has not ended takes a bounded number of calls")
    precondition(call.worker == nil && call.outcome == nil, "a call that goes on has one worker at a time")
    calls.append(call)
    call.worker = self
    served += 1
  }

  /// Removes the answered call; the next one may have been begun.
  func finish() -> PendingCall? {
    guard !calls.isEmpty else { return nil }
    answered += 1
    precondition(answered <= served, "a worker answers what it was given")
    let call = calls.removeFirst()
    call.worker = nil
    return call
  }

  /// Removes and returns the calls that the worker has not read, and now never will.
  func takeBack() -> [PendingCall] {
    var count = 0
    var byte: UInt8 = 0
    // A packet is gone as a whole, whatever part of it is read.
    while process.unread >= 0, recv(process.unread, &byte, 1, Int32(MSG_DONTWAIT)) > 0 { count += 1 }
    return drop(min(count, calls.count))
  }

  /// Removes and returns the last `count` calls.
  func drop(_ count: Int) -> [PendingCall] {
    precondition(count >= 0 && count <= calls.count, "what is taken back was handed over")
    let dropped = Array(calls.suffix(count))
    calls.removeLast(count)
    for call in dropped { call.worker = nil }
    return dropped
  }

  /// Returns why the worker ended, once the channel is closed and its process has ended, or doesn't.
  func reason(for ending: FunctionError.Ending?) -> FunctionError.Ending {
    guard let ending else { return .closed }
    // V8's last words before it gives up.
    let isOutOfMemory = String(decoding: errors, as: UTF8.self).contains("heap out of memory")
    return isOutOfMemory ? .outOfMemory : ending
  }

  enum Reception {
    case some
    case nothing
    case closed
    /// The worker closed its end before it had read all messages: that is what ECONNRESET means on these sockets.
    case unread
  }

  /// Reads the bytes on the channel.
  func receive(_ buffer: UnsafeMutableRawBufferPointer) -> Reception {
    let count = read(process.channel, buffer.baseAddress, buffer.count)
    if count > 0 {
      reader.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      return .some
    }
    if count < 0, errno == EAGAIN || errno == EINTR { return .nothing }
    return count < 0 && errno == ECONNRESET ? .unread : .closed
  }

  /// Reads the bytes on standard error; false if the worker has closed it.
  func receiveErrors(_ buffer: UnsafeMutableRawBufferPointer) -> Bool {
    let count = read(process.errors, buffer.baseAddress, buffer.count)
    if count > 0 {
      errors += buffer[..<count]
      if errors.count > Self.errorsLimit { errors.removeFirst(errors.count - Self.errorsLimit) }
    }
    return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR))
  }

  /// Returns the bytes that the worker wrote to standard error since the last time. JavaScript's console comes with
  /// its answers, so that standard error is not worth a look after each of its calls.
  func takeErrors(_ buffer: UnsafeMutableRawBufferPointer) -> [UInt8] {
    if reader.framing == .lines { _ = receiveErrors(buffer) }
    if errors.isEmpty { return [] }
    defer { errors = [] }
    return errors
  }
}
