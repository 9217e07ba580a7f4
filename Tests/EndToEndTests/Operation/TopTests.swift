import Testing

/// `gatehouse top --once`.
struct TopTests {
  @Test func `it shows what a server does meanwhile`() throws {
    let folder = try Sample.nodeStore()
    let server = try RunningServer(folder)
    for key in 0..<3 {
      _ = try server.send("POST", "/v1/collections/Node", body: #"{"_id":\#(key),"label":"x"}"#)
    }
    for words in [["http://127.0.0.1:\(server.port)/"], ["--listen", "127.0.0.1:\(server.port)"]] {
      let top = try Gatehouse.run(["top", "--once", "--every", "1s"] + words, in: folder)
      #expect((top.status, top.error) == (0, ""))
      let lines = top.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      #expect(lines[0].hasPrefix("gatehouse 0.1.0 at http://127.0.0.1:\(server.port), up "), "\(top.output)")
      #expect(lines.contains { $0.hasPrefix("writes ") && $0.hasSuffix("version 4") }, "\(top.output)")
      #expect(lines.contains { $0.hasSuffix("   3  POST /v1/collections/{class}") }, "\(top.output)")
      #expect(!top.output.contains("\u{1B}"))
    }
    #expect(server.stop() == 0)
  }

  @Test func `what it may not read, or nobody answers, is said`() throws {
    let folder = try Sample.nodeStore()
    let key = ["GATEHOUSE_ADMIN_KEY=a-key-of-sixteen-characters"]
    let server = try RunningServer(folder, environment: key)
    let url = "http://127.0.0.1:\(server.port)"
    let refused = try Gatehouse.run(["top", url, "--once"], in: folder)
    let sentence = "\(url) needs a key (401): GATEHOUSE_ADMIN_KEY, or one of the role metrics in its place"
    #expect((refused.status, refused.error) == (1, "gatehouse: \(sentence)\n"))
    #expect(
      try Gatehouse.run(["top", url, "--once", "--every", "1s"], environment: key, in: folder).status == 0)
    #expect(server.stop() == 0)
    let none = try Gatehouse.run(["top", "http://127.0.0.1:1", "--once"], in: folder)
    #expect(
      (none.status, none.error)
        == (1, "gatehouse: http://127.0.0.1:1 does not answer: nobody listens there\n"))
    let socket = try Gatehouse.run(["top", "--listen", "unix:/tmp/x"], in: folder)
    #expect(socket.status == 2 && socket.error.contains("or give URL"), "\(socket.error)")
  }
}
