import CGatehouseSimulation
import GatehouseCluster
import GatehouseHTTP
import GatehouseOutbound

// Messages between nodes, and between nodes and the log.
extension Cluster {
  /// Draws what goes wrong with a call of the log; each takes some time.
  func fault(_ call: MemoryLog.Call) -> MemoryLog.Failure {
    if happens(rates.losses) {
      guard call == .append else { return .unavailable }
      return .inDoubt([.written, .lost, .writtenLater][draw(3)])
    }
    if happens(rates.lateServers) { return .late(1 + UInt64(draw(5))) }
    return .delayed(latency)
  }

  private var latency: Duration {
    happens(rates.delays) ? .milliseconds(500 + draw(5_500)) : .microseconds(draw(3_000))
  }

  /// Sends a request of one node to another, which answers, or crashes, or cannot be reached.
  func send(_ message: ClientRequest, from source: Node) async throws(ClientError) -> ClientResponse {
    let halves = message.url.dropFirst("http://".count).split(separator: "/", maxSplits: 1)
    guard let target = nodes.first(where: { $0.name.text == halves[0] }) else { throw .unresolved }
    await pause()
    guard let service = target.service, !isCutOff(source, target) else { throw .unreachable }
    if happens(rates.losses) { throw .interrupted }
    let answer = await answer(of: service, to: request(message, path: "/\(halves[1])"), message.timeout)
    await pause()
    guard let answer, !isCutOff(source, target), !happens(rates.losses) else { throw .interrupted }
    return ClientResponse(
      status: answer.status, fields: answer.fields.lines.map { HeaderField($0.name, $0.value) },
      content: answer.content)
  }

  /// Returns the answer of a node; nil: it crashes, does not answer in time, or whoever has asked does not wait for it any more.
  private func answer(of service: Service, to request: Request, _ limit: Duration) async -> Answer? {
    let pending = PendingAnswer()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        pending.begin(continuation)
        let loop = draw(2)
        Task { pending.finish(await service.answer(request, onLoop: loop)) }
        Simulation.scheduler.at(sim_now() + limit.nanoseconds) { pending.finish(nil) }
      }
    } onCancel: {
      pending.finish(nil)
    }
  }

  private func pause() async { try? await Task.sleep(for: latency) }

  private func request(_ message: ClientRequest, path: String) -> Request {
    // Bytes on a connection get a host of their own.
    let fields = message.fields.map { Fields.Line(name: $0.name.lowercased(), value: $0.value) }
      .filter { $0.name != "host" }
    let parts = path.split(separator: "?", maxSplits: 1).map(String.init)
    var request = Request(
      method: Method(rawValue: message.method) ?? .get,
      target: Target(path: parts[0], query: parts.count > 1 ? parts[1] : nil),
      fields: Fields(fields))
    if case .bytes(let bytes) = message.content { request.body = .bytes(bytes) }
    return request
  }
}

/// An answer that is waited for, once.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
private final class PendingAnswer: @unchecked Sendable {
  private var continuation: CheckedContinuation<Answer?, Never>?
  private var hasEnded = false

  func begin(_ continuation: CheckedContinuation<Answer?, Never>) {
    if hasEnded { continuation.resume(returning: nil) } else { self.continuation = continuation }
  }

  func finish(_ answer: Answer?) {
    hasEnded = true
    // To resume is a step, in which another end may come.
    let waiting = continuation
    continuation = nil
    waiting?.resume(returning: answer)
  }
}
