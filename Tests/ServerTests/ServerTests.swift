import GatehouseHTTP
import GatehouseServer
import Testing

private let host = "host: localhost\r\n\r\n"

/// Serialized, since each test's client blocks a thread.
@Suite(.serialized) struct `A server` {
  @Test func `a connection is kept from request to request`() async throws {
    try await withServer { server in
      let client = try Client(server.boundAddress)
      for _ in 1...3 {
        client.send("GET /hello HTTP/1.1\r\n" + host)
        #expect(client.receive(until: "hello") == "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello")
      }
    }
  }

  @Test func `pipelined requests are answered in order, whether their handlers wait or not`() async throws {
    try await withServer { server in
      let client = try Client(server.boundAddress)
      let requests = ["/1", "/later", "/2", "/stream", "/hello", "/later", "/3"]
      client.send(requests.map { "GET \($0) HTTP/1.1\r\n" + host }.joined())
      let head = "HTTP/1.1 200 OK\r\ncontent-length:"
      let chunks =
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n1\n\r\n2\r\n2\n\r\n2\r\n3\n\r\n0\r\n\r\n"
      #expect(
        client.receive(until: "/3")
          == "\(head) 2\r\n\r\n/1\(head) 5\r\n\r\nlater\(head) 2\r\n\r\n/2" + chunks
          + "\(head) 5\r\n\r\nhello\(head) 5\r\n\r\nlater\(head) 2\r\n\r\n/3")
    }
  }

  @Test func `twenty thousand pipelined requests all have answers`() async throws {
    try await withServer { server in
      let client = try Client(server.boundAddress)
      let count = 20_000
      let batch = String(repeating: "GET /hello HTTP/1.1\r\n" + host, count: 1_000)
      let sender = client.sendAside(batch, times: count / 1_000)
      var received = 0
      var one = 0
      while received < count * max(one, 1) {
        let piece = client.receivePiece()
        if piece.isEmpty { break }
        if one == 0 {
          let text = String(decoding: piece, as: UTF8.self)
          one = try #require(text.range(of: "hello")) - 0
        }
        received += piece.count
      }
      #expect(received == count * one)
      await sender.value
    }
  }

  @Test func `HEAD gives the head of GET`() async throws {
    try await withServer { server in
      let client = try Client(server.boundAddress)
      client.send("HEAD /hello HTTP/1.1\r\n" + host + "HEAD /stream HTTP/1.1\r\nconnection: close\r\n" + host)
      #expect(
        client.receive()
          == "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nHTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")
    }
  }

  @Test(arguments: [
    ("content-length: 3\r\n\r\nabc", "bytes 3"),
    ("transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "bytes 3"),
    ("content-length: 0\r\n\r\n", "empty"),
    ("transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n", "stream"),
    ("content-length: 50000\r\n\r\n", "stream"),
  ])
  func `small content is there at once, other content is streamed`(rest: String, kind: String) async throws {
    try await withServer { server in
      let client = try Client(server.boundAddress)
      client.send("POST /kind HTTP/1.1\r\nhost: a\r\n" + rest)
      #expect(client.receive(until: kind).hasSuffix("\r\n\r\n" + kind))
    }
  }

  @Test func `content comes through in whatever pieces it is sent`() async throws {
    try await withServer { server in
      let client = try Client(server.boundAddress)
      let content = String(repeating: "0123456789", count: 200_000)
      client.send("POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: \(content.utf8.count)\r\n\r\n" + content)
      #expect(client.receive(until: "\r\n\r\n" + content).hasSuffix(content))
      client.send("POST /echo HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n")
      for _ in 0..<100 { client.send("4e20\r\n\(content.prefix(20_000))\r\n") }
      client.send("0\r\n\r\n")
      #expect(client.receive(until: "\r\n\r\n" + content).hasSuffix(content))
    }
  }

  @Test func `content that fills the buffer to the byte comes to its end`() async throws {
    try await withServer {
      $0.limits.gatheredContent = 0
      $0.limits.bufferedContent = 1_000
    } _: { server in
      let client = try Client(server.boundAddress)
      for size in [999, 1_000, 1_001, 3_000] {
        let content = String(repeating: "a", count: size)
        client.send("POST /echo-later HTTP/1.1\r\nhost: a\r\ncontent-length: \(size)\r\n\r\n" + content)
        #expect(client.receive(until: "\r\n\r\n" + content).hasSuffix(content))
      }
    }
  }

  @Test func `a client that waits is told to continue once its content is wanted`() async throws {
    try await withServer { server in
      let client = try Client(server.boundAddress)
      client.send("POST /echo HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 3\r\n\r\n")
      #expect(client.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
      client.send("abc")
      #expect(client.receive(until: "abc") == "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc")
      client.send("POST /refuse HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 3\r\n\r\n")
      #expect(
        client.receive()
          == "HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno")
    }
  }

  @Test func `an early answer reaches a client that is still sending`() async throws {
    try await withServer { server in
      let client = try Client(server.boundAddress)
      client.send("POST /refuse HTTP/1.1\r\nhost: a\r\ncontent-length: 5000000\r\n\r\n")
      let sender = client.sendAside(String(repeating: "a", count: 5_000_000))
      #expect(client.receive().hasSuffix("connection: close\r\n\r\nno"))
      await sender.value
      let other = try Client(server.boundAddress)
      other.send("POST /refuse HTTP/1.1\r\nhost: a\r\ncontent-length: 50000\r\n\r\n")
      #expect(other.receive(until: "no").hasSuffix("content-length: 2\r\n\r\nno"))
      other.send(String(repeating: "a", count: 50_000) + "GET /hello HTTP/1.1\r\n" + host)
      #expect(other.receive(until: "hello").hasSuffix("hello"))
    }
  }

  @Test func `a broken request is answered and the connection closed`() async throws {
    try await withServer { server in
      let client = try Client(server.boundAddress)
      client.send("GET /hello HTTP/1.1\r\n" + host + "GET /hello HTTP/1.1\r\nbad header\r\n" + host + host)
      let body = """
        {"type":"about:blank","title":"Bad Request","status":400,"code":"malformed_field_name"}
        """
      #expect(
        client.receive() == """
          HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhelloHTTP/1.1 400 Bad Request\r
          content-type: application/problem+json\r
          content-length: \(body.utf8.count)\r\nconnection: close\r\n\r\n\(body)
          """)
    }
  }

  @Test func `a field value can't split a response`() async throws {
    try await withServer { server in
      let client = try Client(server.boundAddress)
      client.send("GET /split HTTP/1.1\r\nconnection: close\r\n" + host)
      #expect(
        client.receive()
          == "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
    }
  }

  @Test func `responses say when, whose id they have, and nothing about the server`() async throws {
    try await withServer { server in
      let client = try Client(server.boundAddress)
      client.send("GET /hello HTTP/1.1\r\nx-request-id: my-id\r\n" + host)
      let text = String(decoding: client.receivePiece(), as: UTF8.self)
      #expect(text.contains("\r\ndate: ") && text.contains("\r\nx-request-id: my-id\r\n"))
      #expect(!text.contains("\r\nserver:"))
      client.send("GET /hello HTTP/1.1\r\nx-request-id: not mine\r\n" + host)
      let other = String(decoding: client.receivePiece(), as: UTF8.self)
      #expect(other.contains("\r\nx-request-id: ") && !other.contains("not mine"))
    }
    try await withServer {
      $0.serverField = "gatehouse"
    } _: { server in
      let client = try Client(server.boundAddress)
      client.send("GET /hello HTTP/1.1\r\n" + host)
      #expect(String(decoding: client.receivePiece(), as: UTF8.self).contains("\r\nserver: gatehouse\r\n"))
    }
  }

  @Test func `an old client is answered without chunks and let go`() async throws {
    try await withServer { server in
      let client = try Client(server.boundAddress)
      client.send("GET /stream HTTP/1.0\r\n\r\n")
      #expect(client.receive() == "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n1\n2\n3\n")
      let other = try Client(server.boundAddress)
      other.send("GET /hello HTTP/1.0\r\nconnection: keep-alive\r\n\r\nGET /hello HTTP/1.0\r\n\r\n")
      #expect(
        other.receive()
          == "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: keep-alive\r\n\r\nhello"
          + "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello")
    }
  }

  @Test func `a client may close its side and still have its answers`() async throws {
    try await withServer { server in
      let client = try Client(server.boundAddress)
      client.send("GET /later HTTP/1.1\r\n" + host + "GET /hello HTTP/1.1\r\n" + host)
      client.finishSending()
      let head = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n"
      // Where an answer takes its time, the server asks whether its client is still there (RFC 9110, 15.2.1).
      let answers = client.receive().replacing("HTTP/1.1 100 Continue\r\n\r\n", with: "")
      #expect(answers == "\(head)later\(head)hello")
    }
  }

  @Test func `a stream that breaks off has no last chunk`() async throws {
    try await withServer { server in
      let client = try Client(server.boundAddress)
      client.send("GET /broken HTTP/1.1\r\n" + host)
      #expect(!client.receive().hasSuffix("0\r\n\r\n"))
    }
  }

  @Test func `a large answer reaches a slow reader`() async throws {
    try await withServer { server in
      let client = try Client(server.boundAddress)
      client.send("GET /large HTTP/1.1\r\n" + host)
      #expect(client.receive(until: "aaa").utf8.count > 0)
      var count = 0
      while count < 2_000_000 {
        let piece = client.receivePiece(limit: 50_000)
        if piece.isEmpty { break }
        count += piece.count
      }
      #expect(count >= 2_000_000)
    }
  }
}

extension String {
  /// Where the first occurrence of `text` ends, in bytes.
  fileprivate func range(of text: String) -> Int? {
    let bytes = Array(utf8)
    let wanted = Array(text.utf8)
    return bytes.indices.first { bytes[$0...].starts(with: wanted) }.map { $0 + wanted.count }
  }
}
