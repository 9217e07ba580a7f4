import Dispatch
import GatehouseHTTP
import Synchronization
import Testing

@testable import GatehouseAPI

/// One event of a stream; a frame without data is an id alone.
///
/// The time of the commit stands beside the data, since it is another one each time.
struct StreamEvent: Hashable, CustomStringConvertible {
  var id: String?
  var name: String?
  var data: String?
  var time: String?

  init(frame: Substring) {
    for line in frame.split(separator: "\n") {
      let value = String(line.split(separator: ": ", maxSplits: 1).last ?? "")
      if line.hasPrefix("id: ") { id = value }
      if line.hasPrefix("event: ") { name = value }
      if line.hasPrefix("data: ") { data = value }
    }
    // Only what has a change for its position has a time.
    guard id?.contains("-") == true, name != "initial" else { return }
    let parts = (data ?? "").split(separator: #","time":""#, maxSplits: 1)
    guard parts.count == 2, let end = parts[1].firstIndex(of: "\"") else { return }
    time = String(parts[1][..<end])
    data = String(parts[0] + parts[1][end...].dropFirst())
  }

  var description: String { [id, name, data].compactMap { $0 }.joined(separator: " ") }
}

/// A serial queue in the place of an event loop, with a clock that stands still until it is set. Tasks that prefer it run one at
/// a time, as on an event loop: the gateway's reader is one thread's.
final class TestLoop: Loop, TaskExecutor {
  let index = 0
  private let queue = DispatchQueue(label: "test.loop")
  private let time = Mutex<UInt64>(1_000_000_000_000)

  var now: MonotonicTime { MonotonicTime(nanoseconds: time.withLock { $0 }) }

  func later(_ body: @escaping @Sendable () -> Void) {
    queue.async(execute: body)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  func advance(seconds: UInt64) {
    time.withLock { $0 += seconds * 1_000_000_000 }
  }

  /// Runs `body` on the loop, after everything that is there.
  func run(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { done in
      queue.async {
        body()
        done.resume()
      }
    }
  }
}

/// The client of an event stream: takes everything at once, unless it is told to be slow.
final class Watcher: PushSink {
  private struct State {
    var text = ""
    var isBusy = false
    var end: End?
    var waiter: (isEnough: @Sendable (State) -> Bool, done: CheckedContinuation<Void, Never>)?
  }

  enum End { case finished, aborted }

  private let state = Mutex(State())
  private let source: any PushSource
  private let loop: TestLoop

  init(_ source: any PushSource, on loop: TestLoop) {
    self.source = source
    self.loop = loop
    loop.later { source.start(self) }
  }

  var isBusy: Bool { state.withLock { $0.isBusy } }
  var end: End? { state.withLock { $0.end } }
  var text: String { state.withLock { $0.text } }

  func push(_ bytes: [UInt8]) { change { $0.text += String(decoding: bytes, as: UTF8.self) } }
  func complete() { change { $0.end = .finished } }

  func abort() {
    change { $0.end = .aborted }
    source.end()
  }

  /// Stops to take anything, or begins again.
  func setBusy(_ isBusy: Bool) async {
    change { $0.isBusy = isBusy }
    if !isBusy { await loop.run { [source] in source.resume() } }
  }

  /// Leaves.
  func leave() async {
    await loop.run { [source] in source.end() }
  }

  /// Everything that came up to and including the first event of that name.
  func events(through name: String) async -> [StreamEvent] {
    await wait { $0.text.contains("event: \(name)\n") && $0.text.hasSuffix("\n\n") }
    return StreamEvent.all(in: text)
  }

  /// Everything that came, once there are so many frames after the retry time.
  func events(_ count: Int) async -> [StreamEvent] {
    await wait { StreamEvent.all(in: $0.text).count >= count }
    return StreamEvent.all(in: text)
  }

  /// Returns once what came is enough.
  func wait(untilText isEnough: @escaping @Sendable (String) -> Bool) async {
    await wait { (state: State) in isEnough(state.text) }
  }

  func waitForEnd() async {
    await wait { $0.end != nil }
  }

  private func wait(_ isEnough: @escaping @Sendable (State) -> Bool) async {
    await withCheckedContinuation { done in
      let isDone = state.withLock { state in
        if isEnough(state) { return true }
        state.waiter = (isEnough, done)
        return false
      }
      if isDone { done.resume() }
    }
  }

  private func change(_ change: (inout State) -> Void) {
    let waiter = state.withLock { state in
      change(&state)
      guard let waiter = state.waiter, waiter.isEnough(state) || state.end != nil else {
        return nil as CheckedContinuation<Void, Never>?
      }
      state.waiter = nil
      return waiter.done
    }
    waiter?.resume()
  }
}

extension StreamEvent {
  static func all(in text: String) -> [StreamEvent] {
    // An incomplete frame at the end is left out.
    var frames = text.split(separator: "\n\n")
    if !text.hasSuffix("\n\n") { frames = frames.dropLast() }
    return frames.filter { !$0.hasPrefix("retry: ") }.map { StreamEvent(frame: $0) }
  }
}
