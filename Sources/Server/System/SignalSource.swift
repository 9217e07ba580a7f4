internal import CGatehouseLinux
internal import Dispatch
internal import Glibc

/// Calls back when the process is sent one of some signals, which then do nothing else.
///
/// None is lost from when there is a source: Dispatch's sources for signals begin some time after they were asked to,
/// and a server that was told to stop just then would go on.
public final class SignalSource: @unchecked Sendable {
  // Because nothing touches these between `init` and `deinit`.
  private let signals: [Int32]
  private let source: any DispatchSourceRead

  public init(_ signals: [Int32], handler: @escaping @Sendable (Int32) -> Void) throws(ServerError) {
    var ends: [Int32] = [-1, -1]
    guard linux_pipe(&ends) == 0 else { throw .system(call: "pipe2", code: errno) }
    let (reader, writer) = (ends[0], ends[1])
    self.signals = signals
    let queue = DispatchQueue(label: "gatehouse.signals")
    source = DispatchSource.makeReadSource(fileDescriptor: reader, queue: queue)
    source.setEventHandler {
      var number: UInt8 = 0
      while read(reader, &number, 1) == 1 { handler(Int32(number)) }
    }
    source.setCancelHandler {
      close(reader)
      close(writer)
    }
    source.activate()
    for number in signals { linux_watch_signal(number, writer) }
  }

  deinit {
    for number in signals { signal(number, SIG_DFL) }
    source.cancel()
  }
}
