import GatehouseBSON
import GatehouseOutbound
import GatehouseServer
import Glibc

/// `gatehouse top`.
struct TopCommand: Command {
  static let synopsis = Synopsis(
    "top", summary: "Shows what a running server does: requests, writes, streams, functions, memory.",
    operands: ["URL"], optionalOperands: 1,
    options: [
      Synopsis.Option(name: "--every", value: "TIME", help: "How often it looks, 2s by default."),
      Synopsis.Option(name: "--once", value: nil, help: "Print what happens in one such time, and end."),
    ],
    settings: .some(["listen", "adminKey"]),
    details: """
      It reads /metrics of URL, such as https://objects.example.org, or of the first address of listen. Figures are those of the \
      time since it looked last; “failed” are answers of 500 and above. Where callers need a key, it takes GATEHOUSE_ADMIN_KEY, \
      which may also be one of the role metrics. Ctrl-C ends it.
      """)

  private let url: String
  private let key: String
  private let seconds: Int
  private let isOnce: Bool

  init(_ arguments: Arguments, settings: Settings) throws {
    key = settings.adminKey
    seconds = try arguments.value("--every", TimeSpan.seconds, expected: TimeSpan.expectation) ?? 2
    isOnce = try arguments.isSet("--once")
    if let url = arguments.operands.first {
      self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
    } else {
      let address = settings.listen.lazy.compactMap(\.local).first { !$0.description.hasPrefix("unix:") }
      guard let address else {
        throw CommandError.invalidValue(
          name: "listen", text: "none", expected: "an address without TLS, or give URL")
      }
      url = "http://\(address)"
    }
  }

  func run() async throws {
    let http = HTTPClient(.all)
    let first = try await read(http)
    if isOnce {
      let start = ContinuousClock.now
      try await Task.sleep(for: .seconds(seconds))
      let change = MetricsChange(
        before: first, now: try await read(http), seconds: (ContinuousClock.now - start) / .seconds(1))
      return Output.standard.write(LoadView(change, of: url).lines(now: .now).map { $0 + "\n" }.joined())
    }
    let signals = try ServiceSignals()
    let screen = Screen()
    screen.open()
    defer { screen.close() }
    let work = Task { [first] in await watch(http, since: first, on: screen) }
    for await request in signals.requests where request == .stop { break }
    work.cancel()
    await work.value
  }

  /// Shows what happens until the task is cancelled; a reading that fails is told, and made again.
  private func watch(_ http: HTTPClient, since first: MetricsText, on screen: Screen) async {
    var (before, time) = (first, ContinuousClock.now)
    while (try? await Task.sleep(for: .seconds(seconds))) != nil {
      do {
        let (text, now) = (try await read(http), ContinuousClock.now)
        let change = MetricsChange(before: before, now: text, seconds: (now - time) / .seconds(1))
        (before, time) = (text, now)
        screen.show(LoadView(change, of: url).lines(now: .now, width: screen.width, height: screen.height))
      } catch {
        if !Task.isCancelled { screen.show([FailureText.of(error)]) }
      }
    }
  }

  private func read(_ http: HTTPClient) async throws -> MetricsText {
    var request = ClientRequest("GET", "\(url)/metrics")
    if !key.isEmpty { request.fields.append(HeaderField("authorization", "Bearer \(key)")) }
    request.timeout = .seconds(10)
    request.responseLimit = 64 << 20
    let response: ClientResponse
    do { response = try await http.send(request) } catch { throw MetricsError.unanswered(error, url: url) }
    guard response.status == 200 else { throw MetricsError.refused(status: response.status, url: url) }
    return MetricsText(String(decoding: response.content, as: UTF8.self))
  }
}
