import GatehouseBSON
import GatehouseOutbound
import GatehouseTelemetry

/// Sends spans to a collector, many at a time (OTLP/HTTP with JSON).
struct TraceExporter: Sendable {
  private let queue: SpanQueue
  private let endpoint: TraceEndpoint
  private let encoding: TraceEncoding
  private let http = HTTPClient(.all)
  /// Takes a sentence for the log.
  private let report: @Sendable (String) -> Void

  /// The most spans of a request.
  private static let batch = 512
  private static let interval: Duration = .seconds(1)
  /// How long a server that stops waits for the collector.
  private static let lastWait: Duration = .seconds(5)
  /// The waits before a request that failed for a reason that may pass is made again; the queue fills meanwhile.
  private static let pauses: [Duration] = [.seconds(1), .seconds(2), .seconds(4)]

  init(
    _ queue: SpanQueue, to endpoint: TraceEndpoint, version: String,
    report: @escaping @Sendable (String) -> Void
  ) {
    self.queue = queue
    self.endpoint = endpoint
    encoding = TraceEncoding(version: version)
    self.report = report
  }

  /// Why a collector did not take spans.
  private enum Failure: Error {
    case unanswered(ClientError)
    case refused(status: Int)

    var mayPass: Bool {
      switch self {
      case .unanswered(let error): error != .malformedRequest && error != .untrusted && error != .cancelled
      case .refused(let status): [429, 502, 503, 504].contains(status)
      }
    }

    var text: String {
      switch self {
      case .unanswered(let error): error.text
      case .refused(let status): "it answers \(status)"
      }
    }
  }

  /// Sends what comes until the task is cancelled; then ``finish()`` sends what is left.
  func run() async {
    var isFailing = false
    while !Task.isCancelled {
      let spans = queue.take(TraceExporter.batch)
      if !spans.isEmpty {
        let failure = await deliver(spans)
        if let failure, !isFailing { report("the collector of traces takes none: \(failure.text)") }
        if failure == nil, isFailing { report("the collector of traces takes them again") }
        isFailing = failure != nil
      }
      if spans.count == TraceExporter.batch { continue }
      do { try await Task.sleep(for: TraceExporter.interval) } catch { return }
    }
  }

  /// Sends what is left, until a request fails or the time for that is over.
  func finish() async {
    let end = ContinuousClock.now + TraceExporter.lastWait
    while ContinuousClock.now < end, case let spans = queue.take(TraceExporter.batch), !spans.isEmpty {
      let rest = max(.milliseconds(1), end - .now)
      do throws(Failure) { try await send(encoding.bytes(of: spans), count: spans.count, within: rest) } catch
      {
        return queue.count(sent: 0, failed: spans.count)
      }
    }
  }

  private func deliver(_ spans: [Span]) async -> Failure? {
    let bytes = encoding.bytes(of: spans)
    var pauses = TraceExporter.pauses[...]
    while true {
      do throws(Failure) {
        try await send(bytes, count: spans.count)
        return nil
      } catch {
        if error.mayPass, let pause = pauses.popFirst(), (try? await Task.sleep(for: pause)) != nil {
          continue
        }
        // A server that stops sends them once more.
        guard !Task.isCancelled else {
          queue.putBack(spans)
          return nil
        }
        queue.count(sent: 0, failed: spans.count)
        return error
      }
    }
  }

  private func send(
    _ bytes: [UInt8], count: Int, within timeout: Duration = .seconds(10)
  ) async throws(Failure) {
    var request = ClientRequest("POST", endpoint.url, fields: endpoint.fields, content: .bytes(bytes))
    request.timeout = timeout
    request.connectTimeout = min(timeout, .seconds(5))
    let response: ClientResponse
    do { response = try await http.send(request) } catch { throw .unanswered(error) }
    guard (200...299).contains(response.status) else { throw .refused(status: response.status) }
    let rejected = min(count, TraceExporter.rejected(response.content))
    precondition(rejected >= 0 && count > 0, "spans that were sent were taken, or not")
    queue.count(sent: count - rejected, failed: rejected)
  }

  /// The spans that the collector says it did not take: `{"partialSuccess": {"rejectedSpans": "3"}}`.
  private static func rejected(_ answer: [UInt8]) -> Int {
    guard case .document(let members)? = try? Value(json: answer),
      case .document(let partial)? = members["partialSuccess"]
    else { return 0 }
    if case .string(let text)? = partial["rejectedSpans"] { return max(0, Int(text) ?? 0) }
    return max(0, Int(partial["rejectedSpans"]?.wholeNumber ?? 0))
  }
}
