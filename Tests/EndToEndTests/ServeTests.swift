import GatehouseTestSupport
import Glibc
import Testing

/// `serve`: the program over real sockets.
struct ServeTests {
  private func sampleStore() throws -> Folder {
    let folder = try Folder()
    let commands = [
      ["schema", "apply", "\(Sample.folder)/schema.json"],
      ["import", "Continent", "\(Sample.folder)/Continent.ndjson"],
      ["import", "Country", "\(Sample.folder)/Country.ndjson"],
    ]
    for command in commands {
      let outcome = try Gatehouse.run(command + ["--data", folder.data], in: folder)
      try #require(outcome.status == 0, "\(outcome.error)")
    }
    return folder
  }

  @Test func `the first screen's query is answered, and SIGTERM ends it in peace`() throws {
    let server = try RunningServer(try sampleStore())
    #expect(server.firstScreen.contains("  Continent  7 objects\n  Country    252 objects\n"))
    #expect(
      server.firstScreen.contains(
        #"--data-urlencode 'filter=name BEGINSWITH "G"' -d sort=-population -d limit=3"#))
    let filter = #"name BEGINSWITH "G""#.percentEncoded
    let answer = try server.send(
      "GET", "/v1/collections/Country?filter=\(filter)&sort=-population&limit=3&fields=name")
    #expect(answer.status == "200 OK")
    #expect(answer.body == #"[{"name":"Germany"},{"name":"Ghana"},{"name":"Guatemala"}]"#)
    #expect(server.stop() == 0)
  }

  @Test(arguments: [("10", false), ("1000000000", true)])
  func `who serves learns that fewer files may be open than there may be connections`(
    _ connections: String, _ isTold: Bool
  ) throws {
    // No system lets a process open so many, whatever its rights; of those it allows, 256 and 24 for each of 64 apps are not for connections.
    var limit = rlimit()
    try #require(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    let folder = try Folder()
    let server = try RunningServer(folder, options: ["--limits-connections", connections])
    #expect(server.stop() == 0)
    let warning = """
      gatehouse: limits.connections is \(connections), but the system lets this process have no more than \
      \(limit.rlim_max - 256 - 64 * 24) connections open at once (ulimit -n, or LimitNOFILE= of its unit)

      """
    #expect(try folder.contents(folder.file("serve.log")).contains(warning) == isTold)
  }

  @Test func `an object is created, read, changed and deleted, and lives on after a restart`() throws {
    let folder = try Sample.nodeStore()
    let first = try RunningServer(folder)
    let nodes = "/v1/collections/Node"
    #expect(try first.send("POST", nodes, body: #"{"_id":1,"label":"one"}"#).status == "201 Created")
    #expect(try first.send("POST", nodes, body: #"{"_id":2,"label":"two","next":1}"#).status == "201 Created")
    #expect(try first.send("PATCH", nodes + "/1", body: #"{"label":"uno"}"#).status.hasPrefix("2"))
    #expect(try first.send("DELETE", nodes + "/2").status == "204 No Content")
    #expect(try first.send("GET", nodes + "/2").status == "404 Not Found")
    #expect(first.stop() == 0)

    let second = try RunningServer(folder)
    let read = try second.send("GET", nodes + "/1")
    #expect(read.fields["content-type"] == "application/json")
    #expect(read.body == #"{"_id":1,"label":"uno","next":null}"#)
    let head = try second.send("HEAD", nodes + "/1")
    #expect(head.fields["content-length"] == "\(read.body.utf8.count)")
    #expect(head.body.isEmpty)
  }

  @Test func `requests that come together are answered in order`() throws {
    let server = try RunningServer(try Sample.nodeStore())
    let answer = try server.exchange(
      "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\nGET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n"
        + "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    let statuses = answer.matches(of: /HTTP\/1\.1 (\d{3})/).map(\.1)
    #expect(statuses == ["200", "404", "200"])
  }

  @Test func `a request that two servers could read differently is refused`() throws {
    let server = try RunningServer(try Sample.nodeStore())
    let answer = try server.exchange(
      "POST /v1/collections/Node HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "0\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 400 "))
  }

  @Test func `a write that is refused leaves nothing`() throws {
    let server = try RunningServer(try Sample.nodeStore())
    let nodes = "/v1/collections/Node"
    let refused = try server.send(
      "POST", nodes, body: #"[{"_id":1,"label":"one"},{"_id":2,"label":3}]"#)
    #expect(refused.status.hasPrefix("422"))
    #expect(refused.fields["content-type"] == "application/problem+json")
    #expect(try refused.json["errors"]?[0]?["pointer"] == .string("/1/label"))
    #expect(try server.send("GET", nodes).body == "[]")
  }

  @Test func `what was acknowledged survives kill -9`() throws {
    let folder = try Sample.nodeStore()
    let server = try RunningServer(folder)
    for id in 0..<20 {
      let answer = try server.send("POST", "/v1/collections/Node", body: #"{"_id":\#(id),"label":"x"}"#)
      #expect(answer.status == "201 Created")
    }
    server.process.send(SIGKILL)
    #expect(server.process.wait() == -SIGKILL)
    #expect(try Sample.nodeKeys(folder) == Array(0..<20))
  }

  @Test func `a second process is told who holds the directory`() throws {
    let folder = try Sample.nodeStore()
    let server = try RunningServer(folder)
    let second = try Gatehouse.run(["export", "Node", "--data", folder.data], in: folder)
    #expect(second.status == 1)
    #expect(second.error.contains("\(server.process.id)"), "\(second.error)")
  }

  @Test func `health asks the server`() throws {
    let folder = try Sample.nodeStore()
    let server = try RunningServer(folder)
    let command = ["health", "--listen", "127.0.0.1:\(server.port)"]
    #expect(try Gatehouse.run(command, in: folder).status == 0)
    #expect(server.stop() == 0)
    let dead = try Gatehouse.run(command, in: folder)
    #expect(dead.status == 1)
    #expect(dead.error == "gatehouse: nothing healthy answers at 127.0.0.1:\(server.port)\n")
  }

  @Test func `a port that is taken is told`() throws {
    let server = try RunningServer(try Sample.nodeStore())
    let folder = try Folder()
    let second = try Gatehouse.run(
      ["serve", "--data", folder.data, "--listen", "127.0.0.1:\(server.port)"], in: folder)
    #expect(second.status == 1)
    #expect(second.error == "gatehouse: Another process listens at 127.0.0.1:\(server.port).\n")
  }
}
