internal import Dispatch
internal import Glibc

/// Calls back when the process is sent one of some signals, which then do nothing else.
public final class SignalSource: @unchecked Sendable {
  // Because nothing touches the sources between `init` and `deinit`.
  private let sources: [any DispatchSourceSignal]

  public init(_ signals: [Int32], handler: @escaping @Sendable (Int32) -> Void) {
    let queue = DispatchQueue(label: "gatehouse.signals")
    sources = signals.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { handler(number) }
      source.activate()
      return source
    }
  }

  deinit {
    for source in sources { source.cancel() }
  }
}
