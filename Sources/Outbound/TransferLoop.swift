internal import CGatehouseCurl
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Runs transfers beside each other on one thread, for as long as there are any.
final class TransferLoop: Sendable {
  private struct Inbox {
    var waiting: [Transfer] = []
    var isRunning = false
  }

  /// libcurl's; only ``run()`` uses it, but for `curl_multi_wakeup`, which any thread may call.
  private nonisolated(unsafe) let handle: UnsafeMutableRawPointer
  private let queue = DispatchQueue(label: "gatehouse.outbound")
  private let inbox = Mutex(Inbox())

  /// How long it may take at most until a cancellation is seen that came between two looks, in milliseconds.
  private static let patience: Int32 = 1000

  private static let isReady: Bool = {
    // Once, before anything else of libcurl's.
    precondition(curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, "libcurl can be made ready")
    return true
  }()

  /// Makes libcurl ready, which is done once.
  static func prepare() { precondition(isReady) }

  init(connectionsPerServer: Int) {
    precondition(connectionsPerServer > 0, "0 connections would stand for any number")
    TransferLoop.prepare()
    guard let handle = curl_multi_init() else { preconditionFailure("no memory") }
    self.handle = handle
    curl_limit_connections(handle, 4 * connectionsPerServer, connectionsPerServer)
  }

  deinit {
    curl_multi_cleanup(handle)
  }

  /// Starts a transfer, whose completion is called on the loop's thread.
  func submit(_ transfer: Transfer) {
    let isFirst = inbox.withLock { inbox in
      defer { inbox.isRunning = true }
      inbox.waiting.append(transfer)
      return !inbox.isRunning
    }
    if isFirst { queue.async { self.run() } } else { wake() }
  }

  /// Has the loop look whether a transfer has been cancelled.
  func wake() {
    curl_multi_wakeup(handle)
  }

  private func run() {
    SignalMask.withoutBrokenPipes {
      var active: [UnsafeMutableRawPointer: Transfer] = [:]
      while begin(&active) {
        for transfer in active.values where transfer.isCancelled { end(transfer, with: .cancelled, &active) }
        var count: Int32 = 0
        curl_multi_perform(handle, &count)
        endFinished(&active)
        if !active.isEmpty { curl_multi_poll(handle, nil, 0, TransferLoop.patience, nil) }
      }
    }
  }

  /// Takes what has been submitted; false: there is nothing to do, and the next one to submit starts the loop again.
  private func begin(_ active: inout [UnsafeMutableRawPointer: Transfer]) -> Bool {
    let new = inbox.withLock { inbox in
      let new = inbox.waiting
      inbox.waiting = []
      inbox.isRunning = !new.isEmpty || !active.isEmpty
      return new
    }
    for transfer in new {
      precondition(active[transfer.handle] == nil, "a transfer is made once")
      active[transfer.handle] = transfer
      let code = curl_multi_add_handle(handle, transfer.handle)
      precondition(code == CURLM_OK, "a transfer that is waited for is made")
    }
    return !active.isEmpty
  }

  private func endFinished(_ active: inout [UnsafeMutableRawPointer: Transfer]) {
    var rest: Int32 = 0
    while let message = curl_multi_info_read(handle, &rest) {
      guard message.pointee.msg == CURLMSG_DONE, let transfer = active[message.pointee.easy_handle] else {
        continue
      }
      let code = curl_outcome(message)
      end(transfer, with: code == CURLE_OK ? nil : ClientError(code), &active)
    }
  }

  private func end(
    _ transfer: Transfer, with error: ClientError?, _ active: inout [UnsafeMutableRawPointer: Transfer]
  ) {
    precondition(active[transfer.handle] === transfer, "a transfer ends once")
    active[transfer.handle] = nil
    curl_multi_remove_handle(handle, transfer.handle)
    transfer.complete(error)
  }
}
