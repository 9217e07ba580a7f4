import GatehouseOutbound
import GatehouseTestSupport
import Glibc
import Testing

@Suite(.enabled(if: TestServer.hasPython, "needs python3 and openssl"))
struct HTTPClientTests {
  private let client = HTTPClient(.all)
  private let server: TestServer

  init() throws {
    server = try TestServer()
  }

  @Test func `a request arrives as it was made, and the answer as it was given`() async throws {
    var request = ClientRequest(
      "POST", server.url("/echo?a=%20b"),
      fields: [
        HeaderField("Host", "there"), HeaderField("Accept", "text/plain"), HeaderField("X-One", "ä: b"),
        HeaderField("X-None", ""),
      ],
      content: .bytes(Array("a body".utf8)))
    request.responseLimit = 1000
    let response = try await client.send(request)
    #expect(response.status == 200)
    #expect(response.fields.filter { $0.name.lowercased() == "x-twice" }.map(\.value) == ["one", "two"])
    #expect(response.field("X-TWICE") == "one")
    #expect(response.field("x-empty") == "")
    #expect(response.field("x-missing") == nil)
    // Python reads fields as Latin 1.
    #expect(
      String(decoding: response.content, as: UTF8.self)
        == #"{"method": "POST", "path": "/echo?a=%20b", "fields": [["host", "there"], ["accept", "text/plain"], "#
        + #"["x-one", "\u00c3\u00a4: b"], ["x-none", ""], ["content-length", "6"]], "content": "a body"}"#)
  }

  @Test(arguments: ["GET", "HEAD", "DELETE", "POST", "PUT", "PATCH"])
  func `every method works without a content`(method: String) async throws {
    let response = try await client.send(ClientRequest(method, server.url("/echo")))
    #expect(response.status == 200)
    let text = String(decoding: response.content, as: UTF8.self)
    #expect(method == "HEAD" ? text.isEmpty : text.contains(#""method": "\#(method)""#))
  }

  @Test(arguments: [204, 301, 404, 500])
  func `a status is an answer, and no redirect is followed`(status: Int) async throws {
    let response = try await client.send(ClientRequest("GET", server.url("/status/\(status)")))
    #expect(response.status == status)
    #expect(response.field("location") == "/echo")
  }

  @Test func `a file is sent, and one that is too short is not`() async throws {
    let path = "\(server.folder)/content"
    try Array(repeating: "0123456789", count: 300_000).joined().write(toFile: path)
    defer { unlink(path) }
    let whole = ClientRequest("PUT", server.url("/length"), content: .file(path: path, size: 3_000_000))
    #expect(try await client.send(whole).content == Array("3000000".utf8))
    let longer = ClientRequest("PUT", server.url("/length"), content: .file(path: path, size: 3_000_001))
    await #expect(throws: ClientError.unreadableContent) { try await client.send(longer) }
    let missing = ClientRequest("PUT", server.url("/length"), content: .file(path: path + "2", size: 1))
    await #expect(throws: ClientError.unreadableContent) { try await client.send(missing) }
  }

  @Test func `an answer is as large as the request allows, and no larger`() async throws {
    var request = ClientRequest("GET", server.url("/bytes/100000"))
    request.responseLimit = 100_000
    #expect(try await client.send(request).content.count == 100_000)
    request.responseLimit = 99_999
    await #expect(throws: ClientError.tooLarge) { try await client.send(request) }
    await #expect(throws: ClientError.tooLarge) {
      try await client.send(ClientRequest("GET", server.url("/head")))
    }
  }

  @Test func `answers that break off, or are none, are interrupted`() async throws {
    for path in ["/cut", "/nothing"] {
      await #expect(throws: ClientError.interrupted) {
        try await client.send(ClientRequest("GET", server.url(path)))
      }
    }
    // HTTP/0.9 is not spoken.
    await #expect(throws: ClientError.self) {
      try await client.send(ClientRequest("GET", server.url("/noise")))
    }
  }

  @Test func `a kept connection that the other side has closed is replaced`() async throws {
    for _ in 0..<5 {
      #expect(try await client.send(ClientRequest("GET", server.url("/close"))).content == Array("last".utf8))
      let put = ClientRequest("PUT", server.url("/length"), content: .bytes([1, 2, 3]))
      #expect(try await client.send(put).content == Array("3".utf8))
    }
  }

  @Test func `a request ends after its time`() async throws {
    var request = ClientRequest("GET", server.url("/slow"))
    request.timeout = .milliseconds(50)
    await #expect(throws: ClientError.timedOut) { try await client.send(request) }
  }

  @Test func `a request ends with its task`() async throws {
    let (client, request) = (client, ClientRequest("GET", server.url("/slow")))
    let task = Task { try await client.send(request) }
    task.cancel()
    await #expect(throws: ClientError.cancelled) { try await task.value }
    // Others go on.
    #expect(try await client.send(ClientRequest("GET", server.url("/bytes/1"))).content == [0x78])
  }

  @Test func `many requests run beside each other`() async throws {
    let (client, server) = (client, server)
    let lengths = try await withThrowingTaskGroup(of: Int.self) { group in
      for size in 0..<300 {
        group.addTask {
          try await client.send(ClientRequest("GET", server.url("/bytes/\(size)"))).content.count
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(lengths.sorted() == Array(0..<300))
  }

  @Test func `as many requests are with one server at once as the client has connections for`() async throws {
    let (client, server) = (HTTPClient(.all, connectionsPerServer: 100), server)
    let answers = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for _ in 0..<100 {
        group.addTask { try await client.send(ClientRequest("GET", server.url("/meet/100"))).content }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers == Array(repeating: Array("met".utf8), count: 100))
  }

  @Test func `a client of the public only reaches nobody in private networks`() async throws {
    for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "0.0.0.0"] {
      let request = ClientRequest("GET", server.url("/bytes/1", host: host))
      await #expect(throws: ClientError.forbiddenAddress, "\(host)") {
        try await HTTPClient(.public()).send(request)
      }
    }
    let range = try #require(AddressRange("127.0.0.0/8"))
    let allowed = HTTPClient(.public(and: [range]))
    #expect(
      try await allowed.send(ClientRequest("GET", server.url("/bytes/1", host: "localhost"))).status == 200)
  }

  @Test func `what nobody can be asked is told apart`() async throws {
    await #expect(throws: ClientError.unreachable) {
      try await client.send(ClientRequest("GET", "http://127.0.0.1:1/"))
    }
    await #expect(throws: ClientError.unresolved) {
      try await client.send(ClientRequest("GET", "http://there.invalid/"))
    }
    for url in [
      "", "there", "file:///etc/passwd", "gopher://127.0.0.1/", "http://", "http://a b/", "http://a/\r\nX: y",
    ] {
      await #expect(throws: ClientError.self, "\(url)") { try await client.send(ClientRequest("GET", url)) }
    }
    for field in [
      HeaderField("A", "b\r\nC: d"), HeaderField("A:", "b"), HeaderField("", "b"), HeaderField("A", "\0"),
    ] {
      let request = ClientRequest("GET", server.url("/echo"), fields: [field])
      await #expect(throws: ClientError.malformedRequest) { try await client.send(request) }
    }
    await #expect(throws: ClientError.malformedRequest) {
      try await client.send(ClientRequest("GET /\r\n", server.url("/echo")))
    }
  }

  @Test
  func `a certificate is believed if an authority is that is trusted, for the name that it is made for`()
    async throws
  {
    let server = try TestServer(tls: true)
    let trusting = HTTPClient(.all, certificates: "\(server.folder)/certificate.pem")
    let request = ClientRequest("GET", server.url("/bytes/1", scheme: "https", host: "localhost"))
    #expect(try await trusting.send(request).content == [0x78])
    await #expect(throws: ClientError.untrusted) { try await client.send(request) }
    let other = ClientRequest("GET", server.url("/bytes/1", scheme: "https"))
    await #expect(throws: ClientError.untrusted) { try await trusting.send(other) }
    let plain = ClientRequest("GET", self.server.url("/bytes/1", scheme: "https"))
    await #expect(throws: ClientError.untrusted) { try await trusting.send(plain) }
  }
}

extension String {
  fileprivate func write(toFile path: String) throws {
    guard let file = fopen(path, "w") else { throw TestServer.Failure() }
    fputs(self, file)
    fclose(file)
  }
}
