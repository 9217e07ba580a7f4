import GatehouseHTTP
import GatehouseServer
import GatehouseTelemetry
import Synchronization
import Testing

private let host = "host: localhost\r\n\r\n"

private struct RoutedHandler: Handler {
  func respond(to request: Request) async -> Response {
    var response = await EchoHandler().respond(to: request)
    response.route = "/{any}"
    return response
  }
}

/// The lines without what differs from run to run.
private func steady(_ log: [UInt8]) -> [String] {
  String(decoding: log, as: UTF8.self).split(separator: "\n").map { line in
    line.split(separator: ",").filter { !$0.contains("\"time\"") && !$0.contains("microseconds") }
      .map { $0.hasPrefix("\"request\":\"id") || !$0.hasPrefix("\"request\"") ? String($0) : "…" }
      .joined(separator: ",")
  }
}

extension `A server` {
  @Test func `a request leaves one line and its metrics, and nothing of what it said`() async throws {
    let registry = Registry(shardCount: 2)
    let log = Mutex<[UInt8]>([])
    try await withServer(handler: RoutedHandler()) { configuration in
      configuration.metrics = registry
      configuration.log = { lines in log.withLock { $0 += lines } }
      configuration.tellsTiming = true
    } _: { server in
      let client = try Client(server.boundAddress)
      client.send(
        "POST /echo?token=secret HTTP/1.1\r\nauthorization: secret\r\nx-request-id: id-1\r\n"
          + "content-length: 3\r\n" + host + "abc")
      #expect(client.receive(until: "abc").contains("\r\nserver-timing: app;dur="))
      client.send("GET /stream HTTP/1.1\r\nx-request-id: not well-formed\r\n" + host)
      _ = client.receive(until: "0\r\n\r\n")
      client.send("bad\r\n\r\n")
      _ = client.receive()
    }
    #expect(
      steady(log.withLock { $0 }) == [
        #""level":"info","message":"request","request":"id-1","method":"POST","route":"/{any}","status":200,"received":3,"sent":3"#,
        #""level":"info","message":"request",…,"method":"GET","route":"/{any}","status":200,"received":0,"sent":6"#,
        #""level":"warning","message":"refused request",…,"rule":"malformed_request_line","offset":0,"status":400}"#,
      ])
    let text = String(decoding: registry.render(), as: UTF8.self).split(separator: "\n").map(String.init)
    for line in [
      "gatehouse_connections 0", "gatehouse_connections_accepted_total 1", "gatehouse_received_bytes_total 3",
      "gatehouse_sent_bytes_total 9",
      #"gatehouse_requests_total{route="/{any}",method="POST",status="200"} 1"#,
      #"gatehouse_request_duration_seconds_count{route="/{any}"} 2"#,
      #"gatehouse_refused_requests_total{rule="malformed_request_line"} 1"#,
    ] {
      #expect(text.contains(line), "\(text)")
    }
  }
}
