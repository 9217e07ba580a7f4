import Testing

/// The requests that web pages can make browsers send to a server, word by word, over real sockets.
struct PageTests {
  private static let nodes = "POST /v1/collections/Node HTTP/1.1\r\nConnection: close\r\n"

  @Test(arguments: [
    "Content-Type: text/plain\r\n", "Content-Type: application/x-www-form-urlencoded\r\n",
    "Content-Type: multipart/form-data; boundary=b\r\n", "",
  ])
  func `a page elsewhere cannot write by a request that needs no leave`(type: String) throws {
    let server = try RunningServer(try Sample.nodeStore())
    let object = #"{"_id":1,"label":"forged"}"#
    let host = "Host: localhost:\(server.port)\r\n"
    let origin = host + "Origin: https://attacker.example\r\n"
    let forms = [
      "Content-Length: \(object.utf8.count)\r\n\r\n\(object)",
      "Transfer-Encoding: chunked\r\n\r\n\(String(object.utf8.count, radix: 16))\r\n\(object)\r\n0\r\n\r\n",
      "Content-Length: 0\r\n\r\n",
    ]
    for form in forms {
      let answer = try server.exchange(Self.nodes + origin + type + form)
      #expect(answer.hasPrefix("HTTP/1.1 403 Forbidden\r\n"), "\(form)")
      #expect(answer.contains(#""code":"cross_origin""#) && !answer.lowercased().contains("access-control"))
      // And if a browser did not say where it comes from.
      let silent = try server.exchange(Self.nodes + host + type + form)
      #expect(silent.hasPrefix("HTTP/1.1 415 Unsupported Media Type\r\n"), "\(form)")
    }
    // DELETE by filter, PATCH and QUERY are asked about first, and get no leave.
    for method in ["DELETE", "PATCH", "QUERY"] {
      let preflight = try server.exchange(
        "OPTIONS /v1/collections/Node HTTP/1.1\r\nConnection: close\r\n" + origin
          + "Access-Control-Request-Method: \(method)\r\n\r\n")
      #expect(preflight.hasPrefix("HTTP/1.1 403 Forbidden\r\n"))
      #expect(!preflight.lowercased().contains("access-control"))
    }
    #expect(try server.send("GET", "/v1/collections/Node").body == "[]")
  }

  @Test func `a page whose name leads to this machine reaches nothing`() throws {
    let server = try RunningServer(try Sample.nodeStore())
    let content = #"{"_id":1,"label":"forged"}"#
    for host in ["attacker.example", "attacker.example:\(server.port)", "10.0.0.1"] {
      let answer = try server.exchange(
        Self.nodes + "Host: \(host)\r\nContent-Type: application/json\r\n"
          + "Content-Length: \(content.utf8.count)\r\n\r\n\(content)")
      #expect(answer.hasPrefix("HTTP/1.1 421 Misdirected Request\r\n"))
      #expect(answer.contains(#""code":"misdirected_request""#))
    }
    #expect(try server.send("GET", "/v1/collections/Node").body == "[]")
  }

  @Test func `names are added to those of loopback`() throws {
    let folder = try Sample.nodeStore()
    let named = try RunningServer(folder, options: ["--hosts", "db.example.org"])
    let status = { (server: RunningServer, host: String) in
      try server.exchange("GET /v1/schema HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
        .dropFirst(9).prefix(3)
    }
    #expect(try status(named, "DB.example.org:80") == "200")
    #expect(try status(named, "gatehouse") == "421")
    #expect(named.stop() == 0)
    let any = try RunningServer(folder, options: ["--hosts", "any"])
    #expect(try status(any, "attacker.example") == "200")
  }

  @Test func `a page that is allowed asks, and then reads`() throws {
    let server = try RunningServer(
      try Sample.nodeStore(), options: ["--cors-origins", "https://app.example", "--cors-credentials"])
    let head = "Host: localhost\r\nOrigin: https://app.example\r\nConnection: close\r\n"
    let preflight = try server.exchange(
      "OPTIONS /v1/collections/Node HTTP/1.1\r\n\(head)Access-Control-Request-Method: DELETE\r\n"
        + "Access-Control-Request-Headers: content-type\r\n\r\n")
    for line in [
      "access-control-allow-origin: https://app.example", "access-control-allow-credentials: true",
      "access-control-allow-methods: GET, HEAD, POST, ", "access-control-max-age: 600",
    ] {
      #expect(preflight.contains("\r\n\(line)"), "\(preflight)")
    }
    let read = try server.exchange("GET /v1/collections/Node HTTP/1.1\r\n\(head)\r\n")
    #expect(read.contains("\r\naccess-control-allow-origin: https://app.example\r\n"))
    #expect(read.contains("\r\nvary: origin\r\n"))
    let whole = try server.exchange("OPTIONS * HTTP/1.1\r\n\(head)\r\n")
    #expect(whole.hasPrefix("HTTP/1.1 204 No Content\r\n") && whole.contains("\r\nallow: GET, "))
  }

  @Test func `credentials for every page are refused at the start`() throws {
    let folder = try Sample.nodeStore()
    let outcome = try Gatehouse.run(
      ["serve", "--data", folder.data, "--cors-origins", "any", "--cors-credentials"], in: folder)
    #expect(outcome.status == 2)
    #expect(outcome.error.contains("cors.origins must be a list of origins where cors.credentials is true"))
  }
}
